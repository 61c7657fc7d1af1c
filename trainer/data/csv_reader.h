// Reads a table of numbers with one column of labels from a CSV file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct CsvFormat {
  char separator = ',';
  std::string label;  // the label column: its name in the header or its number from 0; empty: last
  // What label texts mean, in order: the training table's `classes`, for the validation table.
  // Empty: learn from this table.
  std::vector<std::string> classes{};
};

// All rows in memory. A first line with a field that is no number, label aside, is a header.
struct CsvTable {
  std::vector<std::string> columns;  // names of the features; "0", "1", ... without a header
  std::vector<float> values;         // [size, columns]
  std::vector<std::int64_t> labels;  // [size], from 0
  // The label texts in byte order when one of them is no whole number; then labels count them.
  std::vector<std::string> classes;

  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
  std::span<const float> row(std::int64_t index) const;
  std::uint32_t identity() const;  // CRC-32 of it all
};

// Fields may stand in double quotes, but not run over lines; blank lines, spaces around fields and
// a carriage return at a line's end are no matter. Throws BadData "<origin>: line N: ..." for a row
// of another width, a value that is missing, no number or not finite, a label that is negative or,
// given classes, none of them; also for no rows, no such label column, no features, over 100,000
// columns. `origin` names the file in messages.
CsvTable parse_csv(std::string_view text, const std::string& origin, const CsvFormat& format = {});

// The same of a file, plain or gzipped, of at most 4 GiB.
CsvTable read_csv(const std::filesystem::path& path, const CsvFormat& format = {});

}  // namespace lockstep
