// The little of HTTP that a status page needs: one GET, one answer, and the connection closes.
// Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

struct Page {
  std::string type;  // such as "text/plain"
  std::string body;
};

// The page at a path; none: 404.
using Pages = std::function<std::optional<Page>(std::string_view path)>;

inline constexpr std::size_t kLongestRequest = 4096;

// The whole answer to what a client has sent, of which the first kLongestRequest bytes are looked
// at; empty while the end of its header is still to come.
std::string answer(std::string_view request, const Pages& pages);

}  // namespace lockstep
