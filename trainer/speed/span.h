// A named stretch of the training loop.
#pragma once

#include <ATen/record_function.h>

#include <cstdint>
#include <string>

namespace lockstep {

// From its construction to its end. Whoever listens to LibTorch's user scopes hears of it: traces
// show it above the operators that it covers, and StepTimes measures it. Costs nanoseconds while
// nobody listens. Threads: its own.
class Span {
 public:
  explicit Span(const char* name);
  Span(const char* name, std::int64_t number);  // "step", 10 -> "step 10"
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  std::string name_;  // LibTorch keeps a view of it
  at::RecordFunction record_{at::RecordScope::USER_SCOPE};
};

}  // namespace lockstep
