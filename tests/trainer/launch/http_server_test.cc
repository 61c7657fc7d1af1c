// The server between two calls of its poll loop: what it waits for, and until when.
#include "trainer/launch/http_server.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/trainer/launch/web.h"

namespace lockstep::test {
namespace {

using std::chrono::milliseconds;
using Time = HttpServer::Time;

std::optional<Page> page(std::string_view) { return Page{"text/plain", "ok\n"}; }

// While it lives, this process cannot open another descriptor.
class NoDescriptorLeft {
 public:
  NoDescriptorLeft() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int lowest_free = dup(STDIN_FILENO);
    close(lowest_free);
    const rlimit none = {static_cast<rlim_t>(lowest_free), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptorLeft() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_;
};

class HttpServerTest : public testing::Test {
 protected:
  bool waits_for_clients() const {
    std::vector<pollfd> sources;
    server_.watch(sources);
    return !sources.empty();
  }

  int port_ = free_port();
  HttpServer server_{port_, false};
  const Time now_ = std::chrono::steady_clock::now();
};

TEST_F(HttpServerTest, WaitsForClientsAlone) {
  EXPECT_EQ(server_.deadline(), Time::max());
  EXPECT_TRUE(waits_for_clients());
}

TEST_F(HttpServerTest, RestsASecondWithoutADescriptorThenTakesTheClientThatWaited) {
  const Fd client = connect_to(port_);
  send_text(client, "GET / HTTP/1.1\r\n\r\n");
  {
    const NoDescriptorLeft limit;
    server_.serve(page, now_);
  }
  EXPECT_FALSE(waits_for_clients()) << "it would wake for the same client again and again";
  EXPECT_EQ(server_.deadline(), now_ + milliseconds(1000)) << "nothing else would wake it";
  server_.serve(page, now_ + milliseconds(1000));
  EXPECT_EQ(receive_all(client).substr(0, 15), "HTTP/1.1 200 OK");
  EXPECT_EQ(server_.deadline(), Time::max());
  EXPECT_TRUE(waits_for_clients());
}

TEST_F(HttpServerTest, WakesForTheRestOrForTheEndOfAClientWhicheverComesFirst) {
  const Fd idle = connect_to(port_);
  server_.serve(page, now_);
  EXPECT_EQ(server_.deadline(), now_ + milliseconds(2000));
  const Fd waiting = connect_to(port_);
  const NoDescriptorLeft limit;
  server_.serve(page, now_ + milliseconds(500));
  EXPECT_EQ(server_.deadline(), now_ + milliseconds(1500));
  server_.serve(page, now_ + milliseconds(1500));
  EXPECT_EQ(server_.deadline(), now_ + milliseconds(2000));
}

}  // namespace
}  // namespace lockstep::test
