// Lines to fields, fields to numbers, labels to classes.
#include "trainer/data/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "trainer/data/bytes.h"
#include "trainer/data/text_lines.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
constexpr std::size_t kMostColumns = 100'000;
constexpr std::string_view kSpaces = " ";  // not tabs: they may separate

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

// The whole text as a number; nullopt for anything else.
template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Fills a table row by row; every fault names file and line.
class Table {
 public:
  Table(std::string origin, const CsvFormat& format)
      : origin_(std::move(origin)), format_(format) {}

  CsvTable parse(std::string_view text) {
    TextLines lines(text);
    while (lines.next()) {
      line_ = lines.number();
      if (trimmed(lines.line()).empty()) continue;
      const std::vector<std::string> fields = fields_of(lines.line());
      if (width_ == 0) {
        begin(fields);
        if (is_header(fields)) continue;
      }
      add(fields);
    }
    if (label_texts_.empty()) throw BadData(origin_ + ": holds no rows");
    name_classes();
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, std::int64_t line) const {
    throw BadData(fmt::format("{}: line {}: {}", origin_, line, what));
  }
  [[noreturn]] void fail(const std::string& what) const { fail(what, line_); }

  std::vector<std::string> fields_of(std::string_view line) const {
    std::vector<std::string> fields;
    while (true) {
      const std::size_t start = std::min(line.find_first_not_of(kSpaces), line.size());
      if (line.substr(start).starts_with('"')) {
        line.remove_prefix(start + 1);
        fields.push_back(quoted(line));
        line = trimmed(line);
      } else {
        const std::size_t end = std::min(line.find(format_.separator), line.size());
        fields.emplace_back(trimmed(line.substr(0, end)));
        line.remove_prefix(end);
      }
      if (fields.size() > kMostColumns) fail(fmt::format("more than {} columns", kMostColumns));
      if (line.empty()) return fields;
      if (line.front() != format_.separator) fail("text behind a closing quote");
      line.remove_prefix(1);
    }
  }

  // Takes a field up to its closing quote off the line; "" stands for one quote.
  std::string quoted(std::string_view& line) const {
    std::string field;
    while (true) {
      const std::size_t end = line.find('"');
      if (end == std::string_view::npos) fail("a quote is not closed on its line");
      field += line.substr(0, end);
      line.remove_prefix(end + 1);
      if (!line.starts_with('"')) return field;
      field += '"';
      line.remove_prefix(1);
    }
  }

  // The first line with content tells the width, and the names if it is a header.
  void begin(const std::vector<std::string>& fields) {
    width_ = fields.size();
    if (width_ < 2) fail("one column only, expected values and a label");
    label_ = label_column(fields);
    for (std::size_t i = 0; i < width_; ++i) {
      if (i != label_) table_.columns.push_back(is_header(fields) ? fields[i] : std::to_string(i));
    }
  }

  std::size_t label_column(const std::vector<std::string>& fields) const {
    if (format_.label.empty()) return width_ - 1;
    const auto named = std::ranges::find(fields, format_.label);
    if (named != fields.end()) return static_cast<std::size_t>(named - fields.begin());
    const auto number = number_in<std::size_t>(format_.label);
    if (number && *number < width_) return *number;
    fail(fmt::format("no column \"{}\" for the labels among: {}", format_.label,
                     fmt::join(fields, ", ")));
  }

  bool is_header(const std::vector<std::string>& fields) const {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i != label_ && !fields[i].empty() && !number_in<double>(fields[i])) return true;
    }
    return false;
  }

  void add(const std::vector<std::string>& fields) {
    if (fields.size() != width_) {
      fail(fmt::format("{} fields, the first line has {}", fields.size(), width_));
    }
    for (std::size_t i = 0; i < width_; ++i) {
      if (i != label_) table_.values.push_back(value_of(fields[i], i));
    }
    if (fields[label_].empty()) fail("no label");
    label_texts_.push_back(fields[label_]);
    label_lines_.push_back(line_);
  }

  float value_of(const std::string& field, std::size_t column) const {
    const std::optional<double> value = number_in<double>(field);
    const float narrow = static_cast<float>(value.value_or(0));
    if (value && std::isfinite(narrow)) return narrow;
    fail(fmt::format("column {}: {}", column + 1,
                     field.empty() ? "no value" : "\"" + field + "\" is no finite number"));
  }

  void name_classes() {
    const auto is_whole = [](const std::string& text) {
      return number_in<std::int64_t>(text).has_value();
    };
    if (format_.classes.empty() && std::ranges::all_of(label_texts_, is_whole)) {
      for (std::size_t i = 0; i < label_texts_.size(); ++i) {
        table_.labels.push_back(*number_in<std::int64_t>(label_texts_[i]));
        if (table_.labels.back() < 0)
          fail("label " + label_texts_[i] + " is below 0", label_lines_[i]);
      }
      return;
    }
    table_.classes = format_.classes;
    if (table_.classes.empty()) {
      table_.classes = label_texts_;
      std::ranges::sort(table_.classes);
      table_.classes.erase(std::unique(table_.classes.begin(), table_.classes.end()),
                           table_.classes.end());
    }
    count_classes();
  }

  void count_classes() {
    std::map<std::string_view, std::int64_t> numbers;
    for (const std::string& name : table_.classes) numbers.emplace(name, numbers.size());
    for (std::size_t i = 0; i < label_texts_.size(); ++i) {
      const auto number = numbers.find(label_texts_[i]);
      if (number == numbers.end()) {
        fail("label \"" + label_texts_[i] + "\" is none of the classes", label_lines_[i]);
      }
      table_.labels.push_back(number->second);
    }
  }

  std::string origin_;
  const CsvFormat& format_;
  CsvTable table_;
  std::size_t width_ = 0;
  std::size_t label_ = 0;
  std::int64_t line_ = 0;
  std::vector<std::string> label_texts_;
  std::vector<std::int64_t> label_lines_;
};

}  // namespace

std::span<const float> CsvTable::row(std::int64_t index) const {
  return std::span(values).subspan(index * columns.size(), columns.size());
}

std::uint32_t CsvTable::identity() const {
  Identity identity;
  for (const std::string& name : columns) identity.add(name);
  for (const std::string& name : classes) identity.add(name);
  for (const std::int64_t label : labels) identity.add(label);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
  return identity.add(std::span(bytes, values.size() * sizeof(float))).value();
}

CsvTable parse_csv(std::string_view text, const std::string& origin, const CsvFormat& format) {
  return Table(origin, format).parse(text);
}

CsvTable read_csv(const std::filesystem::path& path, const CsvFormat& format) {
  return parse_csv(as_text(read_bytes(path, kMostBytes)), path.string(), format);
}

}  // namespace lockstep
