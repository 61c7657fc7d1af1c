// kubectl's output, made safe and understood.
#include "operator/plugin/answer.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Printable, HoldsForEveryStringOfAnAnswer) {
  const nlohmann::json object = parse_printable(R"({"a": ["\u001b[31mx"], "b": {"c": "\u0007"}})");
  EXPECT_EQ(object["a"][0], "[31mx");
  EXPECT_EQ(object["b"]["c"], "");
}

TEST(Printable, SurvivesAnswersThatAreDeepOrNoJson) {
  EXPECT_TRUE(parse_printable(std::string(100'000, '[')).is_discarded());
  const std::string deep = std::string(50'000, '[') + std::string(50'000, ']');
  EXPECT_LT(parse_printable(deep).dump().size(), 200u) << "what lies too deep is left out";
  EXPECT_TRUE(parse_printable("<html>").is_discarded());
  EXPECT_TRUE(parse_printable("").is_discarded());
}

struct Complaint {
  const char* words;
  Kind kind;
  const char* reason;
};

// As kubectl 1.37 wrote them.
TEST(Complaints, AreUnderstood) {
  const Complaint complaints[] = {
      {"Error from server (NotFound): trainingjobs.lockstep.dev \"x\" not found", Kind::kNotFound,
       "NotFound"},
      {"error: the server doesn't have a resource type \"trainingjobs\" in group \"lockstep.dev\"",
       Kind::kNotFound, kNoSuchKind},
      {"Error from server (Forbidden): pods is forbidden: User \"nobody\" cannot list resource",
       Kind::kForbidden, "Forbidden"},
      {"error: You must be logged in to the server (Unauthorized)", Kind::kForbidden,
       kUnauthorized},
      {"Unable to connect to the server: tls: failed to verify certificate: x509: no IP SANs",
       Kind::kUnavailable, ""},
      {"Error in configuration: context was not found for specified context: nope", Kind::kInvalid,
       ""},
      {"error: stat /nope: no such file or directory", Kind::kInvalid, ""}};
  for (const Complaint& complaint : complaints) {
    const Error error = parse_complaint(complaint.words);
    EXPECT_EQ(error.kind, complaint.kind) << complaint.words;
    EXPECT_EQ(error.reason, complaint.reason) << complaint.words;
    EXPECT_EQ(error.message, complaint.words);
  }
}

TEST(Complaints, AreTheLastLineThatIsNoLogLine) {
  const Error error = parse_complaint(
      "E1130 16:18:40.275563   28301 memcache.go:381] \"Couldn't get current server API group "
      "list\" err=\"dial tcp 127.0.0.1:1\"\n"
      "The connection to the server 127.0.0.1:1 was refused - did you specify the right host?\n");
  EXPECT_EQ(error.kind, Kind::kUnavailable);
  EXPECT_EQ(error.message,
            "The connection to the server 127.0.0.1:1 was refused - did you specify the right "
            "host?");
  EXPECT_EQ(parse_complaint("").message, "kubectl failed in silence");
}

}  // namespace
}  // namespace lockstep
