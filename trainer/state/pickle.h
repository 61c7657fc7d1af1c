// Reads the pickles inside files of torch.save: a list of instructions for a machine with a stack.
// This machine only notes what it is told to call; it calls nothing. Private to state/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep {

struct PickleValue {
  enum class Kind {
    kNone,
    kBool,        // number
    kInt,         // number
    kFloat,       // real
    kText,        // text
    kTuple,       // items
    kList,        // items
    kDict,        // items: key, value, key, value
    kGlobal,      // text: "torch._utils _rebuild_tensor_v2", module and name
    kCall,        // text: of a global; items: its arguments
    kPersistent,  // items: of the tuple that names something outside the pickle
    kOther        // whose value is of no use here: a large integer
  };
  Kind kind = Kind::kNone;
  std::int64_t number = 0;
  double real = 0;
  std::string_view text{};
  std::vector<const PickleValue*> items{};
};

// Values point to each other and, perhaps in circles, to themselves.
class Pickle {
 public:
  // Throws BadData, one clause, for a global that is not in `globals`, an instruction that
  // torch.save does not write, more than 4,000,000 values, and a pickle that is damaged. Memory
  // used stays within a small multiple of that. Texts point into `bytes`.
  static Pickle parse(std::span<const std::byte> bytes, std::span<const std::string_view> globals);

  const PickleValue& root() const { return *root_; }

 private:
  friend class PickleMachine;
  std::deque<PickleValue> values_;
  const PickleValue* root_ = nullptr;
};

}  // namespace lockstep
