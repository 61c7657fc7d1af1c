// Serves pages from somebody else's poll loop, without ever making it wait.
#pragma once

#include <poll.h>

#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "trainer/launch/fd.h"
#include "trainer/launch/http.h"

namespace lockstep {

// One connection: the request is read, then the answer written, then it is over.
struct HttpClient {
  Fd socket;
  std::chrono::steady_clock::time_point expiry;
  std::string request;
  std::string answer;
  std::size_t written = 0;  // of the answer
};

// Clients are strangers. Each has two seconds for everything; of more than eight the oldest is cut
// off, so that idle or dripping ones keep nobody out; each call does a bounded amount of work.
class HttpServer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Listens on all addresses of the machine, or only on loopback. Throws std::system_error.
  HttpServer(int port, bool is_public);

  // Appends what to wait for, and until when.
  void watch(std::vector<pollfd>& sources) const;
  Time deadline() const;

  // Takes new clients, reads, writes and closes, as far as that is possible now.
  void serve(const Pages& pages, Time now);

 private:
  void accept_some(const Pages& pages, Time now);

  Fd listener_;
  Time rests_until_;                // no descriptor was left for a client
  std::deque<HttpClient> clients_;  // oldest first
};

}  // namespace lockstep
