// Requests as browsers, scrapers and strangers send them.
#include "trainer/launch/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string ask(std::string_view request) {
  return answer(request, [](std::string_view path) {
    return path == "/page" ? std::optional(Page{"text/plain", "hello"}) : std::nullopt;
  });
}

TEST(Http, AnswersAGet) {
  for (const char* request : {"GET /page HTTP/1.1\r\nHost: x\r\n\r\n", "GET /page HTTP/1.0\r\n\r\n",
                              "GET /page?a=b HTTP/1.1\r\n\r\n", "GET /page HTTP/1.1\n\n",
                              "GET /page HTTP/1.1\r\n\r\nGET /page HTTP/1.1\r\n\r\n"}) {
    EXPECT_EQ(ask(request),
              "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
              "Cache-Control: no-store\r\nConnection: close\r\n\r\nhello")
        << request;
  }
}

TEST(Http, RefusesWhatIsNoGetOfAPage) {
  const struct {
    std::string request;
    const char* status;
  } cases[] = {
      {"GET /other HTTP/1.1\r\n\r\n", "404 Not Found"},
      {"GET /page/../page HTTP/1.1\r\n\r\n", "404 Not Found"},
      {"POST /page HTTP/1.1\r\n\r\n", "405 Method Not Allowed"},
      {"HEAD /page HTTP/1.1\r\n\r\n", "405 Method Not Allowed"},
      {"get /page HTTP/1.1\r\n\r\n", "405 Method Not Allowed"},
      {"GET page HTTP/1.1\r\n\r\n", "400 Bad Request"},
      {"GET http://elsewhere/page HTTP/1.1\r\n\r\n", "400 Bad Request"},
      {"GET /page HTTP/2\r\n\r\n", "400 Bad Request"},
      {"GET /page\r\n\r\n", "400 Bad Request"},
      {"GET  /page HTTP/1.1\r\n\r\n", "400 Bad Request"},
      {"\r\n\r\n", "400 Bad Request"},
      {std::string("\0\xff\r\n\r\n", 6), "400 Bad Request"},
      {std::string(kLongestRequest, 'x'), "431 Request Header Fields Too Large"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(ask(c.request), StartsWith("HTTP/1.1 " + std::string(c.status))) << c.request;
    EXPECT_THAT(ask(c.request), HasSubstr("\r\nConnection: close\r\n")) << c.request;
  }
}

TEST(Http, WaitsForTheEndOfTheHeader) {
  const std::string request = "GET /page HTTP/1.1\r\nHost: x\r\n\r\n";
  for (std::size_t size = 0; size < request.size(); ++size) {
    EXPECT_EQ(ask(request.substr(0, size)), "") << size;
  }
  EXPECT_EQ(ask(std::string(kLongestRequest - 1, 'x')), "");
}

}  // namespace
}  // namespace lockstep
