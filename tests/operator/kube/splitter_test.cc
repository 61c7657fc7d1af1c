// Lists and watches cut at every byte.
#include "operator/kube/splitter.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace lockstep {
namespace {

using Shape = Splitter::Shape;
using Items = std::vector<std::string>;

struct Outcome {
  Items items;
  Result<std::string> end;
};

Outcome split(Shape shape, const std::vector<std::string_view>& pieces) {
  Outcome outcome;
  Splitter splitter(shape, [&](std::string_view item) -> Result<void> {
    outcome.items.emplace_back(item);
    return {};
  });
  for (const std::string_view piece : pieces) {
    if (const Result<void> fed = splitter.feed(piece); !fed) {
      outcome.end = tl::unexpected(fed.error());
      return outcome;
    }
  }
  outcome.end = splitter.finish();
  return outcome;
}

// Brackets, quotes and escapes inside strings; "items" as a value, and nested.
const std::string kList =
    R"({"kind":"items","x":{"items":[{"no":1}]},"items":[{"a":"}]\"{"}, {"items":[[{}]]},{}],)"
    R"("metadata":{"resourceVersion":"7","continue":"\\"}})";
const Items kListItems = {R"({"a":"}]\"{"})", R"({"items":[[{}]]})", "{}"};

const std::string kWatch = "{\"type\":\"ADDED\",\"object\":{\"s\":\"\\\\\"}}\n{\"type\":\"}\"}\n";
const Items kWatchItems = {R"({"type":"ADDED","object":{"s":"\\"}})", R"({"type":"}"})"};

TEST(Splitter, FindsTheItemsOfAListCutAtAnyByte) {
  for (std::size_t at = 0; at <= kList.size(); ++at) {
    const std::string_view text = kList;
    const Outcome outcome = split(Shape::kList, {text.substr(0, at), text.substr(at)});
    ASSERT_TRUE(outcome.end) << at;
    ASSERT_EQ(outcome.items, kListItems) << at;
    const nlohmann::json envelope = nlohmann::json::parse(*outcome.end);
    ASSERT_EQ(envelope["metadata"]["continue"], "\\");
    ASSERT_TRUE(envelope["items"].empty());
    ASSERT_EQ(envelope["x"]["items"].size(), 1u);
  }
}

TEST(Splitter, FindsTheEventsOfAWatchCutAtAnyByte) {
  for (std::size_t at = 0; at <= kWatch.size(); ++at) {
    const std::string_view text = kWatch;
    const Outcome outcome = split(Shape::kWatch, {text.substr(0, at), text.substr(at)});
    ASSERT_TRUE(outcome.end) << at;
    ASSERT_EQ(outcome.items, kWatchItems) << at;
  }
}

TEST(Splitter, TakesOneByteAtATime) {
  std::vector<std::string_view> bytes;
  for (std::size_t at = 0; at < kList.size(); ++at) bytes.emplace_back(&kList[at], 1);
  EXPECT_EQ(split(Shape::kList, bytes).items, kListItems);
}

TEST(Splitter, SaysThatAListEndedTooEarlyAtEveryByte) {
  for (std::size_t length = 0; length < kList.size(); ++length) {
    const Outcome outcome = split(Shape::kList, {std::string_view(kList).substr(0, length)});
    ASSERT_FALSE(outcome.end) << length;
    ASSERT_EQ(outcome.end.error().kind, Kind::kUnavailable) << length;
  }
}

TEST(Splitter, NeverHandsOverPartOfAnEvent) {
  for (std::size_t length = 0; length < kWatch.size(); ++length) {
    const Outcome outcome = split(Shape::kWatch, {std::string_view(kWatch).substr(0, length)});
    for (std::size_t i = 0; i < outcome.items.size(); ++i) {
      ASSERT_EQ(outcome.items[i], kWatchItems[i]) << length;
    }
    const std::size_t first_end = kWatchItems[0].size();
    const bool is_between_events = length == 0 || length == first_end || length == first_end + 1 ||
                                   length == kWatch.size() - 1;
    ASSERT_EQ(outcome.end.has_value(), is_between_events) << length;
  }
}

TEST(Splitter, ReadsAListWithoutItems) {
  EXPECT_TRUE(split(Shape::kList, {R"({"metadata":{},"items":null})"}).end);
  EXPECT_TRUE(split(Shape::kList, {R"({"metadata":{},"items":[]})"}).end);
}

TEST(Splitter, RefusesWhatIsNotASequenceOfObjects) {
  const std::vector<std::pair<Shape, std::string>> cases = {
      {Shape::kList, "Too many requests"},
      {Shape::kList, "[{}]"},
      {Shape::kList, R"({"items":[1]})"},
      {Shape::kList, R"({"items":["a"]})"},
      {Shape::kList, R"({"items":[[]]})"},
      {Shape::kList, R"({"items":[{]}]})"},
      {Shape::kList, R"({"items":[]}{)"},
      {Shape::kList, R"({"items":[]} x)"},
      {Shape::kWatch, "<html>"},
      {Shape::kWatch, "{}]"},
      {Shape::kWatch, "[]"},
  };
  for (const auto& [shape, text] : cases) {
    const Outcome outcome = split(shape, {text});
    ASSERT_FALSE(outcome.end) << text;
    EXPECT_EQ(outcome.end.error().kind, Kind::kInvalid) << text;
  }
}

TEST(Splitter, RefusesAnItemOver16MiBAndTakesOneJustUnder) {
  const std::string small(Splitter::kMaxItemBytes - 16, 'x');
  EXPECT_TRUE(split(Shape::kWatch, {"{\"a\":\"", small, "\"}\n"}).end);
  const std::string large(Splitter::kMaxItemBytes, 'x');
  const Outcome outcome = split(Shape::kWatch, {"{\"a\":\"", large, "\"}\n"});
  ASSERT_FALSE(outcome.end);
  EXPECT_EQ(outcome.end.error().kind, Kind::kInvalid);
}

TEST(Splitter, PassesOnWhatTheTakerReturns) {
  Splitter splitter(Shape::kWatch, [](std::string_view) -> Result<void> {
    return failure(Kind::kGone, "too old");
  });
  EXPECT_EQ(splitter.feed("{}").error().kind, Kind::kGone);
}

}  // namespace
}  // namespace lockstep
