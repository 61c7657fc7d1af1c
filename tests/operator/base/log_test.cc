// The log writes one JSON object a line.
#include "operator/base/log.h"

#include <gtest/gtest.h>

#include <sstream>

namespace lockstep {
namespace {

using nlohmann::json;

class Log : public testing::Test {
 protected:
  Log() { log::set_stream(stream_); }
  ~Log() override {
    log::set_level(log::Level::kInfo);
    static std::ostringstream forgotten;
    log::set_stream(forgotten);
  }

  std::ostringstream stream_;
};

TEST_F(Log, WritesMessageLevelAndKeysAsOneJsonLine) {
  log::info("job restarts", {{"job", "fashion"}, {"attempt", 2}});
  const std::string text = stream_.str();
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const json line = json::parse(text);
  EXPECT_EQ(line["message"], "job restarts");
  EXPECT_EQ(line["level"], "info");
  EXPECT_EQ(line["job"], "fashion");
  EXPECT_EQ(line["attempt"], 2);
  EXPECT_EQ(line["time"].get<std::string>().size(), std::string("2026-01-02T03:04:05.678Z").size());
}

TEST_F(Log, DropsLinesBelowTheLevel) {
  log::debug("unseen");
  EXPECT_EQ(stream_.str(), "");
  log::set_level(log::Level::kDebug);
  log::debug("seen");
  EXPECT_EQ(json::parse(stream_.str())["level"], "debug");
}

TEST_F(Log, KeepsALineWholeWhateverBytesAreInIt) {
  log::error("last words", {{"text", "a\nb\xff\"c"}});
  EXPECT_EQ(json::parse(stream_.str())["text"], "a\nb\xef\xbf\xbd\"c");
}

TEST(LogLevel, IsParsedByName) {
  EXPECT_EQ(log::parse_level("warning"), log::Level::kWarning);
  EXPECT_EQ(log::parse_level("WARNING"), std::nullopt);
}

}  // namespace
}  // namespace lockstep
