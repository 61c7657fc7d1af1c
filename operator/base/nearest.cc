// Levenshtein's distance.
#include "operator/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lockstep {
namespace {

std::size_t distance(const std::string& from, const std::string& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  const auto found = std::min_element(
      candidates.begin(), candidates.end(),
      [&](const auto& a, const auto& b) { return distance(word, a) < distance(word, b); });
  const bool is_near = found != candidates.end() &&
                       distance(word, *found) <= std::max<std::size_t>(1, word.size() / 2);
  return is_near ? *found : "";
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? "see --help" : "did you mean " + near + "?";
}

}  // namespace lockstep
