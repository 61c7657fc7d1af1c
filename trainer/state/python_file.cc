// The writing half: the pickle that Python's own pickler would make of a dict of tensors.
#include "trainer/state/python_file.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "trainer/state/python_file_rules.h"
#include "trainer/state/safetensors_rules.h"
#include "trainer/state/stored_zip.h"

namespace lockstep {
namespace {

constexpr char kFolder[] = "archive/";
constexpr std::size_t kBatch = 1000;  // keys that pickle.py sets at once

template <typename Number>
std::string bytes_of(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

// Writes instructions of protocol 2 and numbers what it writes, so that it can be recalled.
class PickleWriter {
 public:
  std::string dict_of(std::span<const TensorRecord> tensors) {
    text_ = "\x80\x02}";
    note();
    for (std::size_t first = 0; first < tensors.size(); first += kBatch) {
      const auto batch = tensors.subspan(first, std::min(kBatch, tensors.size() - first));
      if (batch.size() > 1) text_ += '(';
      for (std::size_t i = 0; i < batch.size(); ++i) add_item(batch[i], first + i);
      text_ += batch.size() > 1 ? 'u' : 's';
    }
    return text_ + '.';
  }

 private:
  void note() {
    text_ +=
        notes_ < 256 ? 'q' + bytes_of(static_cast<std::uint8_t>(notes_)) : 'r' + bytes_of(notes_);
    ++notes_;
  }

  // Written the first time, recalled from then on.
  void add_shared(const std::string& instruction) {
    const auto [known, is_new] = known_.try_emplace(instruction, notes_);
    if (is_new) {
      text_ += instruction;
      note();
    } else {
      const std::uint32_t number = known->second;
      text_ +=
          number < 256 ? 'h' + bytes_of(static_cast<std::uint8_t>(number)) : 'j' + bytes_of(number);
    }
  }

  void add_global(std::string_view name) {
    std::string lines(name);
    lines[lines.find(' ')] = '\n';
    add_shared("c" + lines + "\n");
  }

  static std::string text_instruction(std::string_view text) {
    return 'X' + bytes_of(static_cast<std::uint32_t>(text.size())) + std::string(text);
  }

  void add_text(std::string_view text) {
    text_ += text_instruction(text);
    note();
  }

  void add_int(std::int64_t number) {
    if (number < 0x100) {
      text_ += 'K' + bytes_of(static_cast<std::uint8_t>(number));
    } else if (number < 0x10000) {
      text_ += 'M' + bytes_of(static_cast<std::uint16_t>(number));
    } else if (number < 0x80000000) {
      text_ += 'J' + bytes_of(static_cast<std::int32_t>(number));
    } else {
      std::string bytes = bytes_of(number);
      while (bytes.size() > 1 && bytes.back() == 0 && !(bytes[bytes.size() - 2] & 0x80)) {
        bytes.pop_back();
      }
      text_ += '\x8a' + bytes_of(static_cast<std::uint8_t>(bytes.size())) + bytes;
    }
  }

  void add_tuple(const std::vector<std::int64_t>& numbers) {
    if (numbers.empty()) {
      text_ += ')';
      return;
    }
    if (numbers.size() > 3) text_ += '(';
    for (const std::int64_t number : numbers) add_int(number);
    text_ += numbers.size() > 3 ? 't' : static_cast<char>(0x84 + numbers.size());
    note();
  }

  // ("storage", type, key, "cpu", elements)
  void add_storage(const TensorRecord& tensor, std::size_t key) {
    const std::string_view type = python::names_of(tensor.dtype).storage;
    const std::size_t unit = type.empty() ? 1 : dtype_size(tensor.dtype);
    text_ += '(';
    add_shared(text_instruction("storage"));
    add_global(type.empty() ? python::kUntyped : type);
    add_text(std::to_string(key));
    add_shared(text_instruction("cpu"));
    add_int(static_cast<std::int64_t>(tensor.bytes.size() / unit));
    text_ += 't';
    note();
    text_ += 'Q';
  }

  static std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i > 1; --i) {
      strides[i - 2] = strides[i - 1] * std::max<std::int64_t>(shape[i - 1], 1);
    }
    return strides;
  }

  // name: rebuild(storage, offset, shape, strides, requires_grad, OrderedDict()[, dtype])
  void add_item(const TensorRecord& tensor, std::size_t key) {
    const bool has_storage = !python::names_of(tensor.dtype).storage.empty();
    add_text(tensor.name);
    add_global(has_storage ? python::kTensorV2 : python::kTensorV3);
    text_ += '(';
    add_storage(tensor, key);
    add_int(0);
    add_tuple(tensor.shape);
    add_tuple(strides_of(tensor.shape));
    text_ += '\x89';
    add_global(python::kOrderedDict);
    text_ += ")R";
    note();
    if (!has_storage) add_global(python::names_of(tensor.dtype).name);
    text_ += 't';
    note();
    text_ += 'R';
    note();
  }

  std::string text_;
  std::uint32_t notes_ = 0;
  std::map<std::string, std::uint32_t> known_;
};

void require_writable(std::span<const TensorRecord> tensors) {
  std::set<std::string_view> names;
  for (const TensorRecord& tensor : tensors) {
    if (tensor.name.empty()) throw std::invalid_argument("a tensor has an empty name");
    if (!names.insert(tensor.name).second) {
      throw std::invalid_argument("two tensors are named '" + tensor.name + "'");
    }
    const auto size = tensor_bytes(tensor.dtype, tensor.shape);
    if (!size || *size != tensor.bytes.size()) {
      throw std::invalid_argument("tensor '" + tensor.name + "' has " +
                                  std::to_string(tensor.bytes.size()) +
                                  " bytes, which its dtype and shape do not need");
    }
  }
}

ZipMember member(const std::string& name, std::span<const std::byte> bytes) {
  return {.name = kFolder + name, .bytes = bytes};
}

}  // namespace

void write_python_file(std::span<const TensorRecord> tensors, const ByteSink& sink) {
  require_writable(tensors);
  const std::string pickle = PickleWriter().dict_of(tensors);
  const std::string_view byteorder = "little", version = "3\n";
  std::vector<ZipMember> members = {member("data.pkl", std::as_bytes(std::span(pickle))),
                                    member("byteorder", std::as_bytes(std::span(byteorder)))};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    members.push_back(member("data/" + std::to_string(i), tensors[i].bytes));
  }
  members.push_back(member("version", std::as_bytes(std::span(version))));
  write_stored_zip(members, sink);
}

}  // namespace lockstep
