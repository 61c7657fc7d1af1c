// Scales once, then gathers rows.
#include "trainer/batches/table_set.h"

#include <algorithm>
#include <cmath>

#include "trainer/errors.h"
#include "trainer/torch.h"

namespace lockstep {

ColumnScale scale_of(const CsvTable& table) {
  const std::size_t columns = table.columns.size();
  std::vector<double> sum(columns), squares(columns);
  for (std::size_t i = 0; i < table.values.size(); ++i) sum[i % columns] += table.values[i];
  const auto rows = static_cast<double>(table.size());
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    const double distance = table.values[i] - sum[i % columns] / rows;
    squares[i % columns] += distance * distance;
  }
  ColumnScale scale;
  for (std::size_t column = 0; column < columns; ++column) {
    const double std = std::sqrt(squares[column] / rows);
    scale.mean.push_back(static_cast<float>(sum[column] / rows));
    scale.std.push_back(static_cast<float>(std > 0 ? std : 1));
  }
  return scale;
}

TableSet::TableSet(const CsvTable& table, const ColumnScale& scale, std::int64_t classes)
    : shape_{.rows = 1,
             .columns = static_cast<std::int64_t>(table.columns.size()),
             .classes = classes},
      facts_{.size = table.size(),
             .lengths = {},
             .classes = {table.labels.begin(), table.labels.end()},
             .weights = {}},
      identity_(table.identity()) {
  if (table.columns.size() != scale.mean.size()) {
    throw BadData("the table has " + std::to_string(table.columns.size()) +
                  " columns beside the label, but that of data.train has " +
                  std::to_string(scale.mean.size()));
  }
  if (std::ranges::max(table.labels) >= classes) {
    throw BadData("the table holds label " + std::to_string(std::ranges::max(table.labels)) +
                  ", but there are " + std::to_string(classes) + " classes (model.num_classes)");
  }
  const at::Tensor values = at::tensor(table.values).view({size(), 1, 1, shape_.columns});
  values_ = (values - at::tensor(scale.mean)) / at::tensor(scale.std);
  labels_ = at::tensor(table.labels);
}

Batch TableSet::batch(std::span<const std::int64_t> indices,
                      const std::optional<Variation>&) const {
  const at::Tensor rows = at::tensor(at::ArrayRef<std::int64_t>(indices.data(), indices.size()));
  return {.inputs = values_.index_select(0, rows),
          .targets = labels_.index_select(0, rows),
          .lengths = {}};
}

}  // namespace lockstep
