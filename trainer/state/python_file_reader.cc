// The reading half: from the pickle's calls to tensors over the archive's bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "trainer/errors.h"
#include "trainer/state/durable_file.h"
#include "trainer/state/pickle.h"
#include "trainer/state/python_file.h"
#include "trainer/state/python_file_rules.h"
#include "trainer/state/safetensors_rules.h"
#include "trainer/state/shown.h"
#include "trainer/state/stored_zip.h"

namespace lockstep {
namespace {

using Kind = PickleValue::Kind;
using Bytes = std::span<const std::byte>;

constexpr std::size_t kLargestPickle = 16 << 20;
constexpr std::size_t kMostCopies = 4;  // of the file's size
constexpr std::string_view kPickleName = "/data.pkl";
constexpr std::string_view kWrappers[] = {"state_dict", "model_state_dict", "model"};

[[noreturn]] void fail(const std::string& what) { throw BadData(what); }

std::vector<std::string_view> known_globals() {
  std::vector<std::string_view> globals = {python::kOrderedDict, python::kTensorV2,
                                           python::kTensorV3, python::kParameter, python::kUntyped};
  for (const python::DtypeNames& names : python::kDtypes) {
    if (!names.storage.empty()) globals.push_back(names.storage);
    globals.push_back(names.name);
  }
  return globals;
}

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Before it wrote archives, torch.save wrote pickles one after the other, a magic number first.
bool is_legacy(Bytes content) { return text_of(content).starts_with("\x80\x02\x8a\x0a"); }

// The members of the archive by their names within its one folder.
class Archive {
 public:
  explicit Archive(Bytes content) : members_(members_of(content)) {
    const auto pickle = std::ranges::find_if(
        members_, [](const ZipMember& member) { return member.name.ends_with(kPickleName); });
    if (pickle == members_.end()) fail("no file of torch.save: it has no data.pkl");
    const std::string folder(pickle->name, 0, pickle->name.size() - kPickleName.size() + 1);
    for (const ZipMember& member : members_) {
      if (!member.name.starts_with(folder)) continue;
      const bool is_new = by_name_.emplace(member.name.substr(folder.size()), &member).second;
      if (!is_new) fail("member " + shown(member.name) + " appears twice");
    }
  }

  std::optional<Bytes> find(const std::string& name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return std::nullopt;
    const ZipMember& member = *found->second;
    const bool is_first_time = summed_.insert(&member).second;
    if (is_first_time && crc32_of(member.bytes) != member.crc32) {
      fail("damaged: member " + shown(member.name) + " has another CRC-32 than its directory says");
    }
    return member.bytes;
  }

 private:
  std::vector<ZipMember> members_;
  std::map<std::string, const ZipMember*> by_name_;
  std::set<const ZipMember*> summed_;
};

const PickleValue* entry_of(const PickleValue& dict, std::string_view key) {
  for (std::size_t i = 0; i < dict.items.size(); i += 2) {
    if (dict.items[i]->kind == Kind::kText && dict.items[i]->text == key) return dict.items[i + 1];
  }
  return nullptr;
}

const PickleValue& state_dict_in(const PickleValue& root) {
  if (root.kind != Kind::kDict) fail("it holds no dict of tensors");
  for (const std::string_view wrapper : kWrappers) {
    const PickleValue* inner = entry_of(root, wrapper);
    if (inner && inner->kind == Kind::kDict) return *inner;
  }
  return root;
}

const PickleValue& argument(const PickleValue& value, std::size_t index, Kind kind) {
  if (index >= value.items.size() || value.items[index]->kind != kind) {
    fail("a tensor is rebuilt in a way that this reader does not know");
  }
  return *value.items[index];
}

std::vector<std::int64_t> counts_in(const PickleValue& tuple) {
  std::vector<std::int64_t> counts;
  for (std::size_t i = 0; i < tuple.items.size(); ++i) {
    counts.push_back(argument(tuple, i, Kind::kInt).number);
    if (counts.back() < 0) fail("a tensor has a negative size or stride");
  }
  return counts;
}

struct Storage {
  std::string_view type;
  std::string key;
  std::int64_t elements;
};

Storage storage_in(const PickleValue& call) {
  const PickleValue& id = argument(call, 0, Kind::kPersistent);
  if (argument(id, 0, Kind::kText).text != "storage") fail("the pickle names no storage");
  return {argument(id, 1, Kind::kGlobal).text, std::string(argument(id, 2, Kind::kText).text),
          argument(id, 4, Kind::kInt).number};
}

// Where a tensor's elements lie in its storage; strides count elements.
struct Layout {
  Dtype dtype = Dtype::kF32;
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape, strides;

  bool is_empty() const { return std::ranges::count(shape, 0) > 0; }

  bool is_contiguous() const {
    std::int64_t expected = 1;
    for (std::size_t i = shape.size(); i > 0; --i) {
      if (shape[i - 1] != 1 && strides[i - 1] != expected) return false;
      expected *= shape[i - 1];
    }
    return true;
  }

  // One more than the last element's place; nullopt beyond 63 bits.
  std::optional<std::int64_t> end() const {
    std::int64_t last = offset;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t reach = 0;
      if (__builtin_mul_overflow(shape[i] - 1, strides[i], &reach) ||
          __builtin_add_overflow(last, reach, &last)) {
        return std::nullopt;
      }
    }
    return last == INT64_MAX ? std::nullopt : std::optional(last + 1);
  }
};

Dtype dtype_in(const PickleValue& call, std::string_view storage) {
  const bool is_untyped = storage == python::kUntyped;
  if (is_untyped != (call.text == python::kTensorV3)) fail("a tensor has a storage of no dtype");
  const std::string_view name = is_untyped ? argument(call, 6, Kind::kGlobal).text : storage;
  const auto names = std::ranges::find(
      python::kDtypes, name, is_untyped ? &python::DtypeNames::name : &python::DtypeNames::storage);
  if (names == python::kDtypes.end()) fail("a tensor has a storage of no dtype");
  return names->dtype;
}

// The arguments are storage, offset, shape, strides, requires_grad, hooks, dtype of the third
// version only, and what newer PyTorch notes about lazy negation, which must be nothing.
Layout layout_in(const PickleValue& call, std::string_view storage) {
  const std::size_t least = call.text == python::kTensorV3 ? 7 : 6;
  if (call.items.size() > least && !argument(call, least, Kind::kDict).items.empty()) {
    fail("a tensor is conjugated or negated lazily: save a clone() of it");
  }
  Layout layout{.dtype = dtype_in(call, storage),
                .offset = argument(call, 1, Kind::kInt).number,
                .shape = counts_in(argument(call, 2, Kind::kTuple)),
                .strides = counts_in(argument(call, 3, Kind::kTuple))};
  if (layout.offset < 0 || layout.shape.size() != layout.strides.size()) {
    fail("a tensor's shape and strides do not belong together");
  }
  return layout;
}

// Elements in row-major order.
void gather(const Layout& layout, const std::byte* from, std::byte* to) {
  const std::size_t size = dtype_size(layout.dtype);
  std::vector<std::int64_t> at(layout.shape.size(), 0);
  std::int64_t element = layout.offset;
  for (std::size_t axis = at.size();;) {
    std::memcpy(to, from + static_cast<std::size_t>(element) * size, size);
    to += size;
    for (axis = at.size(); axis > 0; --axis) {
      element += layout.strides[axis - 1];
      if (++at[axis - 1] < layout.shape[axis - 1]) break;
      element -= layout.strides[axis - 1] * layout.shape[axis - 1];
      at[axis - 1] = 0;
    }
    if (axis == 0) return;
  }
}

class Reader {
 public:
  Reader(Bytes content, std::vector<std::unique_ptr<std::byte[]>>& copies)
      : archive_(checked(content)), copies_(copies), room_(content.size() * kMostCopies) {}

  std::vector<TensorRecord> tensors() {
    const auto byteorder = archive_.find("byteorder");
    if (byteorder && text_of(*byteorder) != "little") fail("its numbers are big-endian");
    const Bytes text = *archive_.find("data.pkl");
    if (text.size() > kLargestPickle) fail("its data.pkl is larger than 16 MiB");
    const Pickle pickle = Pickle::parse(text, known_globals());
    const PickleValue& dict = state_dict_in(pickle.root());
    std::vector<TensorRecord> records;
    for (std::size_t i = 0; i < dict.items.size(); i += 2) {
      records.push_back(named(*dict.items[i], *dict.items[i + 1]));
    }
    std::ranges::sort(records, {}, &TensorRecord::name);
    const auto twice = std::ranges::adjacent_find(records, {}, &TensorRecord::name);
    if (twice != records.end()) fail("the name '" + shown(twice->name) + "' appears twice");
    return records;
  }

 private:
  static Bytes checked(Bytes content) {
    if (is_legacy(content)) fail("is of PyTorch before 1.6: load it and torch.save() it anew");
    return content;
  }

  TensorRecord named(const PickleValue& key, const PickleValue& value) {
    if (key.kind != Kind::kText || key.text.empty()) fail("a tensor's name is no text");
    const std::string name(key.text);
    try {
      return record(name, value);
    } catch (const BadData& fault) {
      throw BadData("'" + shown(name) + "': " + fault.what());
    }
  }

  TensorRecord record(const std::string& name, const PickleValue& value) {
    if (value.kind != Kind::kCall) {
      fail("is no tensor, and the file has no state_dict beside it");
    }
    const bool is_parameter = value.text == python::kParameter;
    const PickleValue& call = is_parameter ? argument(value, 0, Kind::kCall) : value;
    if (call.text != python::kTensorV2 && call.text != python::kTensorV3) {
      fail("is no tensor, and the file has no state_dict beside it");
    }
    const Storage storage = storage_in(call);
    const Layout layout = layout_in(call, storage.type);
    return {name, layout.dtype, layout.shape, bytes_of(layout, bytes_in(storage, layout.dtype))};
  }

  Bytes bytes_in(const Storage& storage, Dtype dtype) {
    const auto bytes = archive_.find("data/" + storage.key);
    if (!bytes) fail("damaged: the archive has no member data/" + shown(storage.key));
    const std::size_t unit = storage.type == python::kUntyped ? 1 : dtype_size(dtype);
    if (storage.elements < 0 || bytes->size() % unit != 0 ||
        static_cast<std::uint64_t>(storage.elements) != bytes->size() / unit) {
      fail(fmt::format("damaged: its storage has {} bytes, {} elements of {} are needed",
                       bytes->size(), storage.elements, unit));
    }
    return *bytes;
  }

  Bytes bytes_of(const Layout& layout, Bytes storage) {
    if (layout.is_empty()) return {};
    const std::size_t unit = dtype_size(layout.dtype);
    const auto end = layout.end();
    const auto size = tensor_bytes(layout.dtype, layout.shape);
    if (!end || !size || static_cast<std::uint64_t>(*end) > storage.size() / unit) {
      fail("leaves its storage");
    }
    if (layout.is_contiguous()) {
      return storage.subspan(static_cast<std::size_t>(layout.offset) * unit, *size);
    }
    if (*size > storage.size()) fail("has elements that share a place: save a clone() of it");
    if (*size > room_) fail("overlaps other tensors too often: save clones");
    room_ -= *size;
    copies_.push_back(std::make_unique_for_overwrite<std::byte[]>(*size));
    gather(layout, storage.data(), copies_.back().get());
    return {copies_.back().get(), *size};
  }

  Archive archive_;
  std::vector<std::unique_ptr<std::byte[]>>& copies_;
  std::size_t room_;
};

}  // namespace

bool is_python_file(Bytes content) {
  return text_of(content).starts_with("PK\x03\x04") || is_legacy(content);
}

PythonFile PythonFile::parse(std::unique_ptr<std::byte[]> content, std::size_t size,
                             const std::string& origin) {
  PythonFile file;
  try {
    file.tensors_ = Reader({content.get(), size}, file.copies_).tensors();
  } catch (const BadData& fault) {
    throw BadData(origin + ": " + fault.what());
  }
  file.content_ = std::move(content);
  return file;
}

PythonFile PythonFile::read(const std::filesystem::path& path) {
  FileContent file = read_input(path);
  return parse(std::move(file.bytes), file.size, path.string());
}

}  // namespace lockstep
