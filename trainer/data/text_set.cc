// Lines and records to texts and labels.
#include "trainer/data/text_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "trainer/data/bytes.h"
#include "trainer/data/text_lines.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

struct LabelledLine {
  std::string_view label, text;
  std::int64_t number = 0;
};

[[noreturn]] void fail(const std::string& origin, std::int64_t line, const std::string& what) {
  throw BadData(fmt::format("{}: line {}: {}", origin, line, what));
}

std::vector<LabelledLine> lines_of(std::string_view text, const std::string& origin) {
  std::vector<LabelledLine> found;
  TextLines lines(text);
  while (lines.next()) {
    const std::string_view line = lines.line();
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) fail(origin, lines.number(), "no tab behind a label");
    found.push_back({line.substr(0, tab), line.substr(tab + 1), lines.number()});
    if (found.back().label.empty()) fail(origin, lines.number(), "no label before the tab");
    if (found.back().text.empty()) fail(origin, lines.number(), "no text behind the tab");
  }
  if (found.empty()) throw BadData(origin + ": holds no lines of a label, a tab and a text");
  return found;
}

std::vector<std::string> classes_of(const std::vector<LabelledLine>& lines) {
  std::set<std::string_view> labels;
  for (const LabelledLine& line : lines) labels.insert(line.label);
  return {labels.begin(), labels.end()};
}

std::vector<std::string> record_files(const fs::path& directory) {
  std::vector<std::string> names;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file() && name.find('.') == std::string::npos) names.push_back(name);
    }
  } catch (const fs::filesystem_error& fault) {
    throw BadData(directory.string() + ": cannot list it: " + fault.code().message());
  }
  if (names.empty()) throw BadData(directory.string() + ": holds no files without an ending");
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::uint32_t TextSet::identity() const {
  Identity identity;
  for (const std::string& name : classes) identity.add(name);
  for (std::size_t i = 0; i < texts.size(); ++i) identity.add(texts[i]).add(labels[i]);
  return identity.value();
}

TextSet parse_labelled_lines(std::string_view text, const std::string& origin,
                             std::vector<std::string> classes) {
  const std::vector<LabelledLine> lines = lines_of(text, origin);
  TextSet set;
  set.classes = classes.empty() ? classes_of(lines) : std::move(classes);
  std::map<std::string_view, std::int32_t> numbers;
  for (const std::string& name : set.classes) numbers.emplace(name, numbers.size());
  for (const LabelledLine& line : lines) {
    const auto number = numbers.find(line.label);
    if (number == numbers.end()) {
      fail(origin, line.number, fmt::format("label \"{}\" is none of the classes", line.label));
    }
    set.labels.push_back(number->second);
    set.texts.emplace_back(line.text);
  }
  return set;
}

TextSet read_labelled_lines(const fs::path& path, std::vector<std::string> classes) {
  return parse_labelled_lines(as_text(read_bytes(path, kMostBytes)), path.string(),
                              std::move(classes));
}

std::vector<std::string> parse_records(std::string_view text) {
  std::vector<std::string> records(1);
  TextLines lines(text);
  while (lines.next()) {
    if (lines.line() == "%") {
      records.emplace_back();
    } else {
      std::string& record = records.back();
      if (!record.empty()) record += '\n';
      record += lines.line();
    }
  }
  std::erase_if(records, [](const std::string& record) {
    return record.find_first_not_of(" \t\n") == std::string::npos;
  });
  return records;
}

TextSet read_record_files(const fs::path& directory) {
  TextSet set;
  set.classes = record_files(directory);
  for (std::size_t label = 0; label < set.classes.size(); ++label) {
    const fs::path path = directory / set.classes[label];
    std::vector<std::string> records = parse_records(as_text(read_bytes(path, kMostBytes)));
    if (records.empty()) throw BadData(path.string() + ": holds no records");
    for (std::string& record : records) set.texts.push_back(std::move(record));
    set.labels.resize(set.texts.size(), static_cast<std::int32_t>(label));
  }
  return set;
}

}  // namespace lockstep
