// Short pages from many pods at once, none of which is trusted.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {

struct PageAddress {
  std::string ip;  // IPv4 or IPv6, no brackets; a name is not looked up
  int port = 0;
};

struct PageLimits {
  std::chrono::milliseconds patience{1000};  // for all of them, from the connect to the last byte
  std::size_t bytes = 64 * 1024;             // of one answer, header included
};

// What each address answers to GET `path`, in the order of `addresses`; nullopt where that is not
// one whole answer with 200 within the limits. Redirects are not followed. Takes no longer than the
// patience, however the servers behave, and one descriptor for each address. Threads: any.
std::vector<std::optional<std::string>> fetch_pages(const std::vector<PageAddress>& addresses,
                                                    const std::string& path,
                                                    const PageLimits& limits = {});

}  // namespace lockstep
