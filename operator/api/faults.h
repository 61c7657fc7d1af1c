// What is wrong with a job: a sentence for each fault, in the order in which its fields are read.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "operator/base/result.h"

namespace lockstep {

class Faults {
 public:
  bool empty() const { return sentences_.empty(); }
  const std::vector<std::string>& sentences() const { return sentences_; }

  // For a person and of bounded length: the first few, and how many more there are.
  std::string summary() const;

  // What was read. Where it could not be, the fault is kept and the fallback stands in: the reading
  // goes on, so it is a value that breaks no rule.
  template <typename T>
  T take(Result<T> read, T fallback = T()) {
    if (read) return std::move(*read);
    add(std::move(read.error().message));
    return fallback;
  }

  void note(Result<void> checked) {
    if (!checked) add(std::move(checked.error().message));
  }

 private:
  // Ten variables with one fault are one fault.
  void add(std::string sentence) {
    const bool is_new =
        std::find(sentences_.begin(), sentences_.end(), sentence) == sentences_.end();
    if (is_new) sentences_.push_back(std::move(sentence));
  }

  std::vector<std::string> sentences_;
};

inline std::string Faults::summary() const {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, sentences_.size()); ++i) {
    text += (i == 0 ? "" : "; ") + sentences_[i];
  }
  if (sentences_.size() > kShown) {
    text += "; and " + std::to_string(sentences_.size() - kShown) + " more";
  }
  return text;
}

}  // namespace lockstep
