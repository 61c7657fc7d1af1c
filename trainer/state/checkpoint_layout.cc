// The MANIFEST is JSON, with sums in hexadecimal as crc32 tools print them.
#include "trainer/state/checkpoint_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "trainer/errors.h"

namespace lockstep {
namespace {

constexpr std::string_view kStepPrefix = "step-";

template <typename Number>
std::optional<Number> parse_number(std::string_view text, int base) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string step_name(std::int64_t step) { return std::string(kStepPrefix) + std::to_string(step); }

std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kStepPrefix)) return std::nullopt;
  const auto step = parse_number<std::int64_t>(name.substr(kStepPrefix.size()), 10);
  if (!step || step_name(*step) != name || *step < 0) return std::nullopt;
  return step;
}

std::vector<std::int64_t> steps_in(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::int64_t> steps;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (const auto step = step_of(entry->path().filename().string())) steps.push_back(*step);
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw StorageError("cannot list " + directory.string() + ": " + error.message());
  }
  std::ranges::sort(steps, std::greater());
  return steps;
}

std::string manifest_text(const Manifest& manifest) {
  nlohmann::json files = nlohmann::json::object();
  for (const auto& [name, sum] : manifest.files) {
    files[name] = {{"size", sum.size}, {"crc32", fmt::format("{:08x}", sum.crc32)}};
  }
  return nlohmann::json{{"step", manifest.step}, {"files", files}}.dump(2) + "\n";
}

Manifest parse_manifest(std::string_view text) {
  try {
    const nlohmann::json parsed = nlohmann::json::parse(text);
    Manifest manifest{.step = parsed.at("step").get<std::int64_t>(), .files = {}};
    for (const auto& [name, sum] : parsed.at("files").items()) {
      const auto crc =
          parse_number<std::uint32_t>(sum.at("crc32").get_ref<const std::string&>(), 16);
      if (!crc) throw BadData("MANIFEST has no CRC-32 for " + name);
      manifest.files[name] = {sum.at("size").get<std::uint64_t>(), *crc};
    }
    return manifest;
  } catch (const nlohmann::json::exception&) {
    throw BadData("MANIFEST is not the JSON that a checkpoint has");
  }
}

std::string best_text(const BestCheckpoint& best) {
  return fmt::format("{}\n{} {}\n", step_name(best.step), best.metric, best.value);
}

std::optional<BestCheckpoint> parse_best(std::string_view text) {
  const std::size_t line = text.find('\n');
  const std::size_t space = text.find(' ');
  if (line == text.npos || space == text.npos || space < line || !text.ends_with('\n')) return {};
  const auto step = step_of(text.substr(0, line));
  double value = 0;
  const char* end = text.data() + text.size() - 1;
  const auto [stop, error] = std::from_chars(text.data() + space + 1, end, value);
  if (!step || error != std::errc() || stop != end || !std::isfinite(value)) return {};
  return BestCheckpoint{*step, std::string(text.substr(line + 1, space - line - 1)), value};
}

}  // namespace lockstep
