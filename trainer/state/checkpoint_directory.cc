// Reading: from the newest step down to the first checkpoint that verifies.
#include "trainer/state/checkpoint_directory.h"

#include <fmt/format.h>

#include "trainer/errors.h"
#include "trainer/state/checkpoint_layout.h"
#include "trainer/state/durable_file.h"

namespace lockstep {
namespace {

FileContent read_verified(const std::filesystem::path& directory, const std::string& name,
                          const Manifest& manifest) {
  const auto expected = manifest.files.find(name);
  if (expected == manifest.files.end()) throw BadData("MANIFEST does not name " + name);
  FileContent content = read_file(directory / name);
  if (content.size != expected->second.size) {
    throw BadData(fmt::format("{} has {} bytes, MANIFEST says {}", name, content.size,
                              expected->second.size));
  }
  const std::uint32_t crc = crc32_of({content.bytes.get(), content.size});
  if (crc != expected->second.crc32) {
    throw BadData(fmt::format("{} has CRC-32 {:08x}, MANIFEST says {:08x}", name, crc,
                              expected->second.crc32));
  }
  return content;
}

Safetensors read_tensors(const std::filesystem::path& directory, const std::string& name,
                         const Manifest& manifest) {
  FileContent content = read_verified(directory, name, manifest);
  return Safetensors::parse(std::move(content.bytes), content.size, name);
}

Checkpoint read_whole(const std::filesystem::path& directory, std::int64_t step) {
  const Manifest manifest = parse_manifest(read_file(directory / kManifestFile).text());
  if (manifest.step != step) {
    throw BadData(fmt::format("MANIFEST is that of step {}", manifest.step));
  }
  const FileContent state = read_verified(directory, kStateFile, manifest);
  nlohmann::json parsed = nlohmann::json::parse(state.text(), nullptr, false);
  if (parsed.is_discarded()) throw BadData("state.json is not valid JSON");
  return {.step = step,
          .model = read_tensors(directory, kModelFile, manifest),
          .optimizer = read_tensors(directory, kOptimizerFile, manifest),
          .state = std::move(parsed)};
}

}  // namespace

FoundCheckpoints find_newest_checkpoint(const std::filesystem::path& directory) {
  FoundCheckpoints found;
  for (const std::int64_t step : steps_in(directory)) {
    const std::filesystem::path candidate = directory / step_name(step);
    try {
      found.newest = read_whole(candidate, step);
      break;
    } catch (const BadData& fault) {
      found.damaged.push_back({candidate, fault.what()});
    } catch (const AbsentFile& fault) {  // any other StorageError may pass: it is not damage
      found.damaged.push_back({candidate, fault.what()});
    }
  }
  return found;
}

Checkpoint read_checkpoint(const std::filesystem::path& directory, std::int64_t step) {
  const std::filesystem::path candidate = directory / step_name(step);
  try {
    return read_whole(candidate, step);
  } catch (const BadData& fault) {
    throw BadData("checkpoint " + candidate.string() + " is damaged: " + fault.what());
  } catch (const AbsentFile& fault) {
    throw BadData("checkpoint " + candidate.string() + " is not whole: " + fault.what());
  }
}

std::optional<BestCheckpoint> find_best_checkpoint(const std::filesystem::path& directory) {
  try {
    const auto best = parse_best(read_file(directory / kBestFile).text());
    const bool is_there = best && std::filesystem::is_directory(directory / step_name(best->step));
    return is_there ? best : std::nullopt;
  } catch (const AbsentFile&) {
    return std::nullopt;
  }
}

}  // namespace lockstep
