// Fuzzes the CSV reader.
#include "tests/fuzz/target.h"
#include "trainer/data/csv_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lockstep::fuzz::may_refuse([&] {
    const auto table = lockstep::parse_csv(lockstep::fuzz::text_of({data, size}), "input");
    lockstep::fuzz::must(table.size() > 0 && !table.columns.empty());
    lockstep::fuzz::must(table.values.size() == table.labels.size() * table.columns.size());
    for (const std::int64_t label : table.labels) {
      lockstep::fuzz::must(label >= 0 && (table.classes.empty() ||
                                          label < static_cast<std::int64_t>(table.classes.size())));
    }
  });
  return 0;
}
