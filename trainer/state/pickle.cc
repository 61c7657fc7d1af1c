// The machine. Instructions are those of Python's pickle.py, protocol 2.
#include "trainer/state/pickle.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <unordered_map>

#include "trainer/errors.h"
#include "trainer/state/shown.h"

namespace lockstep {
namespace {

using Kind = PickleValue::Kind;

constexpr std::size_t kMostValues = 4'000'000;
constexpr std::string_view kOrderedDict = "collections OrderedDict";

[[noreturn]] void fail(const std::string& what) { throw BadData(what); }

}  // namespace

class PickleMachine {
 public:
  PickleMachine(Pickle& pickle, std::span<const std::byte> bytes,
                std::span<const std::string_view> globals)
      : values_(pickle.values_),
        rest_(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
        globals_(globals) {}

  const PickleValue* run() {
    if (take<char>() != '\x80' || take<std::uint8_t>() != 2) {
      fail("the pickle is not of protocol 2, the one that torch.save writes by default");
    }
    for (char code = take<char>(); code != '.'; code = take<char>()) {
      if (!push_value(code) && !build(code) && !remember(code)) refuse(code);
    }
    return pop();
  }

 private:
  [[noreturn]] static void refuse(char code) {
    const auto number = static_cast<unsigned char>(code);
    fail("the pickle has instruction " + std::to_string(number) + ", which no state_dict needs");
  }

  std::string_view take_text(std::size_t size) {
    if (size > rest_.size()) fail("the pickle ends too early");
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

  template <typename Number>
  Number take() {
    Number number;
    std::memcpy(&number, take_text(sizeof number).data(), sizeof number);
    return number;
  }

  std::string_view take_line() {
    const std::string_view line = take_text(std::min(rest_.find('\n'), rest_.size()));
    take_text(1);
    return line;
  }

  PickleValue* push(PickleValue value) {
    if (values_.size() == kMostValues) {
      fail("the pickle has more than " + std::to_string(kMostValues) + " values");
    }
    values_.push_back(std::move(value));
    stack_.push_back(&values_.back());
    return stack_.back();
  }

  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  PickleValue* top() {
    if (stack_.size() <= floor()) fail("the pickle takes from an empty stack");
    return stack_.back();
  }

  PickleValue* pop() {
    PickleValue* value = top();
    stack_.pop_back();
    return value;
  }

  std::vector<const PickleValue*> pop_last(std::size_t count) {
    if (stack_.size() < floor() + count) fail("the pickle takes from an empty stack");
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<const PickleValue*> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    return items;
  }

  std::vector<const PickleValue*> pop_to_mark() {
    if (marks_.empty()) fail("the pickle has no mark to go back to");
    std::vector<const PickleValue*> items = pop_last(stack_.size() - marks_.back());
    marks_.pop_back();
    return items;
  }

  void push_int(std::int64_t number) { push({.kind = Kind::kInt, .number = number}); }
  void push_items(Kind kind, std::vector<const PickleValue*> items) {
    push({.kind = kind, .items = std::move(items)});
  }

  // LONG1: the fewest bytes of two's complement.
  void push_long() {
    const std::string_view bytes = take_text(take<std::uint8_t>());
    if (bytes.size() > sizeof(std::int64_t)) {
      push({.kind = Kind::kOther});
      return;
    }
    std::int64_t number = !bytes.empty() && (bytes.back() & 0x80) ? -1 : 0;
    std::memcpy(&number, bytes.data(), bytes.size());
    push_int(number);
  }

  void push_global() {
    const char* begin = rest_.data();
    const std::size_t module = take_line().size();
    const std::size_t name = take_line().size();
    const std::string wanted =
        std::string(begin, module) + " " + std::string(begin + module + 1, name);
    const auto known = std::ranges::find(globals_, wanted);
    if (known == globals_.end()) {
      fail("the pickle wants " + shown(wanted) + ", which no state_dict needs");
    }
    push({.kind = Kind::kGlobal, .text = *known});
  }

  bool push_value(char code) {
    switch (code) {
      case 'N':
        return push({.kind = Kind::kNone});
      case '\x88':
      case '\x89':
        return push({.kind = Kind::kBool, .number = code == '\x88'});
      case 'K':
        return push({.kind = Kind::kInt, .number = take<std::uint8_t>()});
      case 'M':
        return push({.kind = Kind::kInt, .number = take<std::uint16_t>()});
      case 'J':
        return push({.kind = Kind::kInt, .number = take<std::int32_t>()});
      case '\x8a':
        return push_long(), true;
      case 'G': {
        const auto bits = __builtin_bswap64(take<std::uint64_t>());
        return push({.kind = Kind::kFloat, .real = std::bit_cast<double>(bits)});
      }
      case 'X':
        return push({.kind = Kind::kText, .text = take_text(take<std::uint32_t>())});
      case 'c':
        return push_global(), true;
      default:
        return false;
    }
  }

  bool build(char code) {
    switch (code) {
      case ')':
      case ']':
      case '}':
        push({.kind = code == ')' ? Kind::kTuple : code == ']' ? Kind::kList : Kind::kDict});
        break;
      case '(':
        marks_.push_back(stack_.size());
        break;
      case 't':
        push_items(Kind::kTuple, pop_to_mark());
        break;
      case '\x85':
      case '\x86':
      case '\x87':
        push_items(Kind::kTuple, pop_last(static_cast<unsigned char>(code) - 0x84));
        break;
      case 'a':
        add_to(Kind::kList, pop_last(1));
        break;
      case 'e':
        add_to(Kind::kList, pop_to_mark());
        break;
      case 's':
        add_to(Kind::kDict, pop_last(2));
        break;
      case 'u':
        add_to(Kind::kDict, pop_to_mark());
        break;
      case 'R':
        call();
        break;
      case 'Q':
        push_items(Kind::kPersistent, tuple_items());
        break;
      case 'b':
        set_attributes();
        break;
      default:
        return false;
    }
    return true;
  }

  bool remember(char code) {
    if (code == 'q') memo_[take<std::uint8_t>()] = top();
    if (code == 'r') memo_[take<std::uint32_t>()] = top();
    if (code == 'h') recall(take<std::uint8_t>());
    if (code == 'j') recall(take<std::uint32_t>());
    return code == 'q' || code == 'r' || code == 'h' || code == 'j';
  }

  void recall(std::uint32_t number) {
    const auto found = memo_.find(number);
    if (found == memo_.end()) fail("the pickle recalls what it never noted");
    if (stack_.size() == kMostValues) fail("the pickle piles up too much");
    stack_.push_back(found->second);
  }

  void add_to(Kind kind, const std::vector<const PickleValue*>& items) {
    PickleValue* container = top();
    if (container->kind != kind) fail("the pickle adds to something that is no list or dict");
    if (kind == Kind::kDict && items.size() % 2 != 0) fail("the pickle has a key without a value");
    added_ += items.size();
    if (added_ > kMostValues) fail("the pickle piles up too much");
    container->items.insert(container->items.end(), items.begin(), items.end());
  }

  std::vector<const PickleValue*> tuple_items() {
    const PickleValue* tuple = pop();
    if (tuple->kind != Kind::kTuple) fail("the pickle calls with something that is no tuple");
    added_ += tuple->items.size();
    if (added_ > kMostValues) fail("the pickle piles up too much");
    return tuple->items;
  }

  void call() {
    std::vector<const PickleValue*> arguments = tuple_items();
    const PickleValue* function = pop();
    if (function->kind != Kind::kGlobal) fail("the pickle calls something that is no function");
    const bool is_dict = function->text == kOrderedDict && arguments.empty();
    if (is_dict) {
      push({.kind = Kind::kDict});
    } else {
      push({.kind = Kind::kCall, .text = function->text, .items = std::move(arguments)});
    }
  }

  // Of an OrderedDict: the versions of the modules, which nobody here asks for.
  void set_attributes() {
    pop();
    if (top()->kind != Kind::kDict) fail("the pickle sets attributes of something that has none");
  }

  std::deque<PickleValue>& values_;
  std::string_view rest_;
  std::span<const std::string_view> globals_;
  std::vector<PickleValue*> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint32_t, PickleValue*> memo_;
  std::size_t added_ = 0;  // items copied into containers, which grow beyond values_
};

Pickle Pickle::parse(std::span<const std::byte> bytes, std::span<const std::string_view> globals) {
  Pickle pickle;
  pickle.root_ = PickleMachine(pickle, bytes, globals).run();
  return pickle;
}

}  // namespace lockstep
