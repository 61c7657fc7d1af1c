// The reading half: nothing in the file is believed before it is checked.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "trainer/errors.h"
#include "trainer/state/durable_file.h"
#include "trainer/state/safetensors.h"
#include "trainer/state/safetensors_rules.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr int kDeepest = 2;  // header > tensor > shape or data_offsets

// Offsets count from the end of the header.
struct Placed {
  TensorRecord record;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

[[noreturn]] void fail(const std::string& what) { throw BadData(what); }

// JSON lets a later key silently replace an earlier one; here each may appear once.
json parse_header(std::string_view text) {
  if (!text.starts_with('{')) fail("the header does not begin with '{'");
  std::vector<std::set<std::string>> keys;
  const auto check = [&keys](int depth, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start) {
      if (depth > kDeepest) fail("the header is nested deeper than a tensor's shape");
      if (event == json::parse_event_t::object_start) keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) fail("the name '" + key + "' appears twice");
    }
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::exception&) {
    fail("the header is not valid JSON");
  }
}

Metadata metadata_of(const json& value) {
  if (!value.is_object()) fail("__metadata__ is not an object of strings");
  Metadata metadata;
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) fail("__metadata__ '" + key + "' is not a string");
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

// A list of whole numbers from 0 that fit std::int64_t.
std::vector<std::int64_t> counts_of(const json& value, const std::string& where) {
  if (!value.is_array()) fail(where + " is not a list of numbers");
  std::vector<std::int64_t> counts;
  for (const json& count : value) {
    if (!count.is_number_unsigned() || count.get<std::uint64_t>() > INT64_MAX) {
      fail(where + " holds something else than whole numbers from 0");
    }
    counts.push_back(count.get<std::int64_t>());
  }
  return counts;
}

const json& field_of(const json& tensor, const char* key, const std::string& name) {
  const auto field = tensor.find(key);
  if (field == tensor.end()) fail("tensor '" + name + "' has no " + key);
  return *field;
}

Placed placed_of(const std::string& name, const json& tensor) {
  const std::string where = "tensor '" + name + "'";
  if (name.empty()) fail("a tensor has an empty name");
  if (!tensor.is_object()) fail(where + " is not an object");
  const json& dtype = field_of(tensor, "dtype", name);
  const json& shape = field_of(tensor, "shape", name);
  const json& offsets = field_of(tensor, "data_offsets", name);
  if (tensor.size() != 3) fail(where + " has keys beside dtype, shape and data_offsets");
  const auto known =
      dtype.is_string() ? dtype_named(dtype.get_ref<const std::string&>()) : std::nullopt;
  if (!known) fail(where + " has the unknown dtype " + dtype.dump());
  const std::vector<std::int64_t> range = counts_of(offsets, where + ": data_offsets");
  if (range.size() != 2 || range[0] > range[1]) fail(where + ": data_offsets is not [begin, end]");
  Placed placed{{name, *known, counts_of(shape, where + ": shape"), {}},
                static_cast<std::uint64_t>(range[0]),
                static_cast<std::uint64_t>(range[1])};
  const auto needed = tensor_bytes(*known, placed.record.shape);
  if (!needed) fail(where + ": shape has more elements than 64 bits count");
  if (*needed != placed.end - placed.begin) {
    fail(fmt::format("{} has {} bytes, its dtype and shape need {}", where,
                     placed.end - placed.begin, *needed));
  }
  return placed;
}

// In file order every tensor must begin where the one before ends, and the last end with the file.
void place_all(std::vector<Placed>& tensors, std::span<const std::byte> data) {
  std::ranges::sort(tensors, [](const Placed& a, const Placed& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t offset = 0;
  for (Placed& tensor : tensors) {
    if (tensor.begin != offset) {
      fail(fmt::format("tensor '{}' begins at {}, the one before ends at {}: {}",
                       tensor.record.name, tensor.begin, offset,
                       tensor.begin < offset ? "they overlap" : "a hole"));
    }
    if (tensor.end > data.size()) {
      fail(fmt::format("truncated: tensor '{}' ends at {}, the file has {} bytes of tensors",
                       tensor.record.name, tensor.end, data.size()));
    }
    tensor.record.bytes = data.subspan(tensor.begin, tensor.end - tensor.begin);
    offset = tensor.end;
  }
  if (offset != data.size()) {
    fail(fmt::format("has {} bytes after the last tensor", data.size() - offset));
  }
}

// Checks the whole file; the records point into `content`.
std::vector<TensorRecord> parse_content(std::span<const std::byte> content, Metadata& metadata) {
  std::uint64_t length = 0;
  if (content.size() < sizeof length) fail("truncated: no room for the length of the header");
  std::memcpy(&length, content.data(), sizeof length);
  content = content.subspan(sizeof length);
  if (length > kMaxHeaderBytes) {
    fail(fmt::format("a header of {} bytes, at most {} are allowed", length, kMaxHeaderBytes));
  }
  if (length > content.size()) fail("truncated: the file ends within the header");
  const json header = parse_header({reinterpret_cast<const char*>(content.data()), length});

  std::vector<Placed> placed;
  for (const auto& [name, value] : header.items()) {
    if (name == kMetadataKey) {
      metadata = metadata_of(value);
    } else {
      placed.push_back(placed_of(name, value));
    }
  }
  place_all(placed, content.subspan(length));
  std::vector<TensorRecord> records;
  records.reserve(placed.size());
  for (Placed& tensor : placed) records.push_back(std::move(tensor.record));
  std::ranges::sort(records, {}, &TensorRecord::name);
  return records;
}

}  // namespace

Safetensors Safetensors::parse(std::unique_ptr<std::byte[]> content, std::size_t size,
                               const std::string& origin) {
  Safetensors file;
  try {
    file.tensors_ = parse_content({content.get(), size}, file.metadata_);
  } catch (const BadData& fault) {
    throw BadData(origin + ": " + fault.what());
  }
  file.content_ = std::move(content);
  return file;
}

Safetensors Safetensors::read(const std::filesystem::path& path) {
  FileContent file = read_input(path);
  return parse(std::move(file.bytes), file.size, path.string());
}

const TensorRecord* Safetensors::find(std::string_view name) const {
  const auto record = std::ranges::lower_bound(tensors_, name, {}, &TensorRecord::name);
  return record != tensors_.end() && record->name == name ? &*record : nullptr;
}

}  // namespace lockstep
