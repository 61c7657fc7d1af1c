// Short texts with labels, from a file of lines or from a folder of fortune files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct TextSet {
  std::vector<std::string> classes;  // in byte order, unless they were given
  std::vector<std::string> texts;
  std::vector<std::int32_t> labels;  // [size], indices of `classes`

  std::int64_t size() const { return static_cast<std::int64_t>(texts.size()); }
  std::uint32_t identity() const;  // CRC-32 of it all
};

// Lines "label<TAB>text", in file order; blank lines are no matter. `classes`: those of the
// training set, for the validation set; empty: learn them here. Throws BadData "<origin>: line N:
// ..." for a line without a tab, label or text, and for a label that is none of `classes`; also for
// no lines.
TextSet parse_labelled_lines(std::string_view text, const std::string& origin,
                             std::vector<std::string> classes = {});

// The same of a file, plain or gzipped, of at most 1 GiB.
TextSet read_labelled_lines(const std::filesystem::path& path,
                            std::vector<std::string> classes = {});

// The records of fortune's format: separated by lines that hold a single "%". Blank records are
// left out, and so are blank lines at a record's start; line ends within it stay.
std::vector<std::string> parse_records(std::string_view text);

// A folder of such files (/usr/share/games/fortunes), a class each, in the order of their names. Of
// names with a dot (fortune's index files) none is read, and no folder. Throws BadData: no such
// folder, no files, a file without records or above 1 GiB.
TextSet read_record_files(const std::filesystem::path& directory);

}  // namespace lockstep
