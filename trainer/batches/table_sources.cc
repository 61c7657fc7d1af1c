// Tables of numbers from CSV files.
#include <algorithm>

#include "trainer/batches/sources.h"
#include "trainer/batches/subset.h"
#include "trainer/batches/table_set.h"
#include "trainer/data/sample_random.h"

namespace lockstep {

namespace {

// The rows that are held out, or the others.
CsvTable part_of(const CsvTable& all, bool is_held, const Config& config) {
  CsvTable part{.columns = all.columns, .values = {}, .labels = {}, .classes = all.classes};
  for (std::int64_t i = 0; i < all.size(); ++i) {
    if (is_held_out(config.seed, i, config.data.holdout) != is_held) continue;
    const auto row = all.row(i);
    part.values.insert(part.values.end(), row.begin(), row.end());
    part.labels.push_back(all.labels[i]);
  }
  require_samples(part.size(), all.size());
  return part;
}

}  // namespace

Datasets open_tables(const Config& config) {
  const DataConfig& data = config.data;
  const bool is_split = data.val.path.empty();
  const CsvTable all = read_csv(data.train.path, {.label = data.train.label_column});
  const CsvTable train = is_split ? part_of(all, false, config) : all;
  const CsvTable val =
      is_split ? part_of(all, true, config)
               : read_csv(data.val.path, {.label = data.val.label_column, .classes = all.classes});
  const ColumnScale scale = scale_of(train);
  const std::int64_t asked = config.model.num_classes;
  const std::int64_t classes = asked > 0 ? asked : std::ranges::max(all.labels) + 1;
  return {std::make_unique<TableSet>(train, scale, classes),
          std::make_unique<TableSet>(val, scale, classes)};
}

}  // namespace lockstep
