// Reachability and own addresses, on loopback.
#include "trainer/group/network.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "tests/support/temporary_directory.h"
#include "trainer/group/nccl_interface.h"

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

TEST(NcclInterface, IsTheOneThatHoldsTheAddressTowardsRank0) {
  struct Case {
    const char* master;
    const char* own;
    std::optional<std::string> value;
  };
  const std::vector<InterfaceAddress> interfaces = {
      {"lo", "127.0.0.1"},  {"lo", "::1"},         {"docker0", "172.17.0.1"},
      {"eth1", "10.0.0.5"}, {"eth10", "10.9.0.5"}, {"ib0", "fe80::5%ib0"}};
  for (const Case& each :
       {Case{"job-0.svc", "10.0.0.5", "=eth1"}, Case{"job-0.svc", "10.9.0.5", "=eth10"},
        Case{"172.17.0.9", "172.17.0.1", "=docker0"}, Case{"fe80::1%ib0", "fe80::5%ib0", "=ib0"},
        Case{"127.0.0.1", "127.0.0.1", "=lo"}, Case{"localhost", "::1", "=lo"},
        Case{"machine", "127.0.0.1", std::nullopt},  // Debian's own name
        Case{"job-0.svc", "10.0.0.6", std::nullopt}}) {
    EXPECT_EQ(nccl_interface(each.master, each.own, interfaces), each.value) << each.master;
  }
}

TEST(NcclInterface, IsLeftToTheUserWhoChose) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory / "nccl.conf";
  testing::set_content(file, "NCCL_DEBUG=WARN\n");
  setenv("NCCL_CONF_FILE", file.c_str(), 1);
  unsetenv("NCCL_SOCKET_IFNAME");
  EXPECT_FALSE(is_nccl_interface_chosen());
  testing::set_content(file, "NCCL_DEBUG=WARN\nNCCL_SOCKET_IFNAME=ib0\n");
  EXPECT_TRUE(is_nccl_interface_chosen());
  choose_nccl_interface("127.0.0.1", "127.0.0.1");
  EXPECT_EQ(std::getenv("NCCL_SOCKET_IFNAME"), nullptr);
  unsetenv("NCCL_CONF_FILE");
  choose_nccl_interface("127.0.0.1", "127.0.0.1");
  EXPECT_STREQ(std::getenv("NCCL_SOCKET_IFNAME"), "=lo");
  choose_nccl_interface("::1", "::1");
  EXPECT_STREQ(std::getenv("NCCL_SOCKET_IFNAME"), "=lo");
  unsetenv("NCCL_SOCKET_IFNAME");
}

TEST(InterfaceAddresses, HoldLoopback) {
  const auto all = interface_addresses();
  EXPECT_EQ(std::ranges::count(all, "127.0.0.1", &InterfaceAddress::address), 1);
}

TEST(ResolvedAddresses, AreNumericAndEachOnce) {
  EXPECT_EQ(resolved_addresses("127.0.0.1"), std::vector<std::string>{"127.0.0.1"});
  EXPECT_TRUE(resolved_addresses("no-such-host.invalid").empty());
}

TEST(FailureToListen, IsTheErrorOfATakenPort) {
  Port port;
  port.open();
  EXPECT_EQ(failure_to_listen(port.number()), EADDRINUSE);
}

}  // namespace
}  // namespace lockstep
