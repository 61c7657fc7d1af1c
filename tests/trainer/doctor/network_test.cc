// Names that do not resolve, ports that are taken, interfaces that are not there.
#include "trainer/doctor/network.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "trainer/contract.h"

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

// A port of all addresses that somebody listens on, as a rank 0 that has not ended.
class TakenPort {
 public:
  TakenPort() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t length = sizeof address;
    auto* name = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(fd_, name, length) + listen(fd_, 1) + getsockname(fd_, name, &length), 0);
    number_ = ntohs(address.sin_port);
  }
  ~TakenPort() { close(fd_); }
  int number() const { return number_; }

 private:
  int fd_;
  int number_ = 0;
};

Place rank(int rank, const std::string& master, int port) {
  Place place;
  place.rank = rank;
  place.world_size = 2;
  place.master_address = master;
  place.master_port = port;
  return place;
}

NetworkFacts healthy() {
  return {.master_addresses = {"10.1.0.7"},
          .own_address = "10.1.0.9",
          .interfaces = {{"lo", "127.0.0.1"}, {"eth0", "10.1.0.9"}, {"eth0", "fe80::9%eth0"}}};
}

std::vector<Mark> marks_of(const std::vector<Finding>& findings) {
  std::vector<Mark> marks;
  for (const Finding& finding : findings) marks.push_back(finding.mark);
  return marks;
}

TEST(Network, NamesTheInterfaceTowardsRank0AndItsAddresses) {
  EXPECT_EQ(check_interface(rank(1, "job-0.svc", 29500), healthy()).found,
            "eth0 (10.1.0.9, fe80::9%eth0) towards job-0.svc");
  EXPECT_EQ(check_master_name(rank(1, "job-0.svc", 29500), healthy()).found,
            "job-0.svc is 10.1.0.7");
}

TEST(Network, SaysThatTheNameDoesNotResolve) {
  const Place place = rank(1, "no-such-host.invalid", 29500);
  const std::vector<Finding> findings = network_findings(place, 0s);
  EXPECT_THAT(marks_of(findings),
              ::testing::ElementsAre(Mark::kBad, Mark::kWarning, Mark::kWarning));
  EXPECT_EQ(findings[0].found, "no-such-host.invalid does not resolve");
  EXPECT_EQ(findings[0].exit_code, contract::kExitPeerLost);
}

TEST(Network, SaysThatThePortOfRank0IsTaken) {
  const TakenPort port;
  const Finding finding = network_findings(rank(0, "127.0.0.1", port.number()), 0s).back();
  EXPECT_EQ(finding.mark, Mark::kBad);
  EXPECT_THAT(finding.found, HasSubstr("Address already in use"));
}

TEST(Network, FindsAFreePortFreeAndLeavesItSo) {
  int number = 0;
  {
    const TakenPort port;
    number = port.number();
  }
  const Place place = rank(0, "127.0.0.1", number);
  EXPECT_EQ(network_findings(place, 0s).back().mark, Mark::kOk);
  EXPECT_EQ(network_findings(place, 0s).back().mark, Mark::kOk);
}

TEST(Network, DoesNotMindThatRank0IsNotThereYet) {
  int number = 0;
  {
    const TakenPort port;
    EXPECT_EQ(network_findings(rank(1, "127.0.0.1", port.number()), 0s).back().mark, Mark::kOk);
    number = port.number();
  }
  const Finding finding = network_findings(rank(1, "127.0.0.1", number), 0s).back();
  EXPECT_EQ(finding.mark, Mark::kWarning);
  EXPECT_THAT(finding.found, HasSubstr("Connection refused"));
}

TEST(Network, JudgesWhatTheSystemSaid) {
  struct Case {
    const char* what;
    void (*change)(NetworkFacts&);
    Finding (*check)(const Place&, const NetworkFacts&);
    int rank;
    int exit_code;
  };
  for (const Case& each :
       {Case{"no route", [](NetworkFacts& facts) { facts.own_address.reset(); }, check_interface, 1,
             contract::kExitPeerLost},
        Case{"interface that is not there",
             [](NetworkFacts& facts) { facts.gloo_interface = "ib7"; }, check_interface, 1,
             contract::kExitUsage},
        Case{"port below 1024", [](NetworkFacts& facts) { facts.listen_error = EACCES; },
             check_master_port, 0, contract::kExitUsage},
        Case{"firewall",
             [](NetworkFacts& facts) { facts.connect_failure = std::strerror(ETIMEDOUT); },
             check_master_port, 1, contract::kExitPeerLost}}) {
    const Place place = rank(each.rank, "job-0.svc", 29500);
    NetworkFacts facts = healthy();
    EXPECT_EQ(each.check(place, facts).mark, Mark::kOk) << each.what;
    each.change(facts);
    EXPECT_EQ(each.check(place, facts).exit_code, each.exit_code) << each.what;
  }
}

TEST(Network, LeavesThePortToTorchrunWhereThatKeepsTheStore) {
  const TakenPort port;
  Place place = rank(0, "127.0.0.1", port.number());
  place.store_is_hosted = true;
  EXPECT_EQ(network_findings(place, 0s).back().mark, Mark::kOk);
}

TEST(Network, IsNotNeededByOneRank) {
  EXPECT_THAT(marks_of(network_findings({}, 0s)), ::testing::ElementsAre(Mark::kOk));
}

}  // namespace
}  // namespace lockstep
