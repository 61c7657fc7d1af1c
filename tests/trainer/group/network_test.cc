// Reachability and own addresses, on loopback.
#include "trainer/group/network.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lockstep {
namespace {

constexpr std::chrono::seconds kTimeout{2};

// A bound loopback port that listens only when asked to.
class Port {
 public:
  Port() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address_;
    bind(fd_, reinterpret_cast<sockaddr*>(&address_), length);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address_), &length);
  }
  ~Port() { close(fd_); }
  void open() { listen(fd_, 1); }
  int number() const { return ntohs(address_.sin_port); }

 private:
  int fd_;
  sockaddr_in address_{};
};

TEST(FailureToReach, IsNothingWhenSomebodyListens) {
  Port port;
  port.open();
  EXPECT_EQ(failure_to_reach("127.0.0.1", port.number(), kTimeout), std::nullopt);
  EXPECT_EQ(failure_to_reach("localhost", port.number(), kTimeout), std::nullopt);
}

TEST(FailureToReach, SaysThatTheConnectionWasRefused) {
  const Port port;
  EXPECT_EQ(failure_to_reach("127.0.0.1", port.number(), kTimeout), "Connection refused");
}

TEST(FailureToReach, SaysThatTheNameDoesNotResolve) {
  EXPECT_EQ(failure_to_reach("no-such-host.invalid", 1, kTimeout), "the name does not resolve");
}

TEST(AddressTowards, IsLoopbackForLoopback) {
  EXPECT_EQ(address_towards("127.0.0.1"), "127.0.0.1");
}

TEST(AddressTowards, IsNothingForAnUnknownName) {
  EXPECT_EQ(address_towards("no-such-host.invalid"), std::nullopt);
}

}  // namespace
}  // namespace lockstep
