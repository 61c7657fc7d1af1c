// Manifests: YAML as kubectl reads it, and YAML that any reader gives back. The expected values are
// those of `kubectl annotate --local -o json` of Kubernetes 1.37.
#include "operator/api/manifest.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "operator/api/yaml_text.h"

namespace lockstep {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json only(const std::string& text) {
  const auto documents = parse_manifest(text);
  if (!documents) return "refused: " + documents.error().message;
  return documents->size() == 1 ? documents->front() : json("not one document");
}

std::string mistake(const std::string& text) {
  const auto documents = parse_manifest(text);
  return documents ? "taken" : documents.error().message;
}

TEST(Manifest, TakesPlainWordsForWhatKubectlTakesThem) {
  const std::pair<const char*, const char*> cases[] = {
      {"y", "true"},
      {"Y", "true"},
      {"yes", "true"},
      {"Yes", "true"},
      {"on", "true"},
      {"ON", "true"},
      {"True", "true"},
      {"n", "false"},
      {"NO", "false"},
      {"off", "false"},
      {"Off", "false"},
      {"false", "false"},
      {"yEs", "\"yEs\""},
      {"tRue", "\"tRue\""},
      {"~", "null"},
      {"", "null"},
      {"Null", "null"},
      {"NULL", "null"},
      {"nuLL", "\"nuLL\""},
      {"0", "0"},
      {"-0", "0"},
      {"+5", "5"},
      {"05", "5"},
      {"0777", "511"},
      {"08", "8"},
      {"0o14", "12"},
      {"0x1F", "31"},
      {"0X1f", "31"},
      {"-0x1F", "-31"},
      {"0b101", "5"},
      {"0b2", "\"0b2\""},
      {"1_000", "1000"},
      {"1__0", "10"},
      {"_1", "\"_1\""},
      {"1_", "1"},
      {"0x_1f", "31"},
      {"1.0", "1"},
      {"-1.5", "-1.5"},
      {"+1.5", "1.5"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"5.", "5"},
      {"1e3", "1000"},
      {"1.5e+3", "1500"},
      {"1e-3", "0.001"},
      {"12e03", "12000"},
      {"1.0e+21", "1e+21"},
      {"1e+400", "\"1e+400\""},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"100000000000000000000", "1e+20"},
      {"inf", "\"inf\""},
      {"1:30", "\"1:30\""},
      {"2001-01-01", "\"2001-01-01\""},
      {"=", "\"=\""},
      {"500m", "\"500m\""},
      {"64Gi", "\"64Gi\""},
      {"10.0.0.1", "\"10.0.0.1\""},
      {"1_0.5", "10.5"},
      {"0.30000000000000004", "0.30000000000000004"},
      {"+-1", "\"+-1\""},
      {"-_1", "-1"},
      {"1e", "\"1e\""},
      {".", "\".\""},
      {"--1", "\"--1\""},
      {"0x", "\"0x\""},
      {"'yes'", "\"yes\""},
      {"\"8\"", "\"8\""},
      {"!!str 1", "\"1\""},
      {"!!int \"7\"", "7"},
      {"!mine word", "\"word\""}};
  for (const auto& [word, value] : cases) {
    EXPECT_EQ(only("v: " + std::string(word))["v"].dump(), value) << word;
  }
}

TEST(Manifest, RefusesNumbersThatJsonCannotSay) {
  for (const char* word : {".inf", "-.Inf", "+.INF", ".nan", ".NaN"}) {
    EXPECT_EQ(mistake("a: 1\nv: " + std::string(word)),
              "line 2, column 4: JSON has no number " + std::string(word));
  }
}

TEST(Manifest, TakesKeysForWords) {
  EXPECT_EQ(only("{1: a, yes: b, 1.5: c, 'on': d, ? v : e}"),
            json::parse(R"({"1": "a", "true": "b", "1.5": "c", "on": "d", "v": "e"})"));
  EXPECT_THAT(mistake("~: a"), HasSubstr("a key has to be a word"));
  EXPECT_THAT(mistake("? [a, b]\n: c"), HasSubstr("a key has to be a word"));
}

TEST(Manifest, RefusesAKeyThatStandsTwice) {
  EXPECT_EQ(mistake("v: 1\nw: 2\nv: 3"), "line 3, column 1: v stands twice");
  EXPECT_THAT(mistake("a: [{1: a, '1': b}]"), HasSubstr("1 stands twice"));
  EXPECT_EQ(mistake(R"({"a": {"v": 1, "v": 1}})"), "v stands twice");
  EXPECT_EQ(only(R"({"a": {"v": 1}, "b": {"v": 1}})")["b"]["v"], 1);
}

TEST(Manifest, ResolvesAnchorsAndMergeKeys) {
  EXPECT_EQ(only("v: &a 1\nw: *a\nu: &a 2\nt: *a"),
            json::parse(R"({"v": 1, "w": 1, "u": 2, "t": 2})"));
  const std::pair<const char*, const char*> cases[] = {
      {"{<<: *b, x: 3}", R"({"x": 3, "y2": 2})"},
      {"{x: 3, <<: *b}", R"({"x": 1, "y2": 2})"},
      {"{<<: [*b, {z: 4, x: 9}]}", R"({"x": 1, "y2": 2, "z": 4})"},
      {"{<<: *b, <<: {y2: 5}}", R"({"x": 1, "y2": 5})"},
      {"{'<<': *b}", R"({"<<": {"x": 1, "y2": 2}})"}};
  for (const auto& [map, value] : cases) {
    EXPECT_EQ(only("b: &b {x: 1, y2: 2}\nm: " + std::string(map))["m"], json::parse(value)) << map;
  }
  EXPECT_THAT(mistake("m: {<<: 1}"), HasSubstr("<< takes a map or a list of maps"));
  EXPECT_THAT(mistake("v: *gone"), HasSubstr("the referenced anchor is not defined"));
}

TEST(Manifest, HasAnyNumberOfDocuments) {
  const auto documents = parse_manifest("# only a comment\n---\n---\nv: 1 # one\n---\nv: 2\n...\n");
  EXPECT_THAT(documents.value(), ElementsAre(json{{"v", 1}}, json{{"v", 2}}));
  EXPECT_THAT(parse_manifest("").value(), ElementsAre());
  EXPECT_THAT(parse_manifest("# nothing\n").value(), ElementsAre());
}

TEST(Manifest, KeepsTheLinesOfBlocks) {
  EXPECT_EQ(only("v: |\n  a\n  b\n\nw: >-\n  a\n  b\n\n  c\nx: |+\n  a\n\ny: |\n  yes\n"),
            (json{{"v", "a\nb\n"}, {"w", "a b\nc"}, {"x", "a\n\n"}, {"true", "yes\n"}}));
}

TEST(Manifest, MayComeFromOtherEditors) {
  EXPECT_EQ(only("v: 1\r\nw: a\r\n"), (json{{"v", 1}, {"w", "a"}}));
  EXPECT_EQ(only("\xef\xbb\xbfv: 1\n"), (json{{"v", 1}}));
  EXPECT_EQ(only("v: gr\xc3\xbc\xc3\x9f\n"), (json{{"v", "gr\xc3\xbc\xc3\x9f"}}));
  EXPECT_THAT(mistake("v:\n\t- 1\n"), HasSubstr("line 2"));
}

TEST(Manifest, MayBeJson) {
  EXPECT_EQ(
      only("\n{\"v\":\"\\ud83d\\ude00\",\t\"w\": 1.0, \"u\": 1e3, \"x\": [0.5, null, \"yes\"]}"),
      json::parse(R"({"v": "😀", "w": 1, "u": 1000, "x": [0.5, null, "yes"]})"));
  EXPECT_EQ(only("{v: yes}"), (json{{"v", true}})) << "a brace alone makes no JSON";
  EXPECT_EQ(only("{\"v\": .5}"), (json{{"v", 0.5}}));
}

TEST(Manifest, RefusesWhatNeverEnds) {
  const std::string open(100'000, '['), maps = [] {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "{\"a\":";
    return text;
  }();
  EXPECT_NE(mistake(open), "taken");
  EXPECT_NE(mistake(maps + "1" + std::string(100'000, '}')), "taken");
  EXPECT_THAT(mistake("a: &x {n: *x}"), HasSubstr("nested too deeply"));
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 1; j < 10; ++j) bomb += ", " + last;
    bomb += "]\n";
  }
  EXPECT_THAT(mistake(bomb), HasSubstr("aliases repeat too much"));
}

TEST(Manifest, TakesLongWords) {
  for (const std::string& word : {std::string(1'000'000, '7'), std::string(1'000'000, 'x')}) {
    EXPECT_EQ(only("v: '" + word + "'")["v"], word);
    EXPECT_EQ(only("v: " + word)["v"], word);
  }
}

// Random values with the words that readers of YAML quarrel about.
class Random {
 public:
  explicit Random(int seed) : engine_(seed) {}

  json value(int depth) {
    switch (below(depth > 4 ? 6 : 8)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return below(2'000'000) - 1'000'000;
      case 3:
        return std::ldexp(below(1 << 30) + 0.5, below(200) - 100);
      case 4:
      case 5:
        return word();
      case 6:
        return list(depth);
      default:
        return object(depth);
    }
  }

  json object(int depth) {
    json object = json::object();
    for (int i = below(5); i > 0; --i) object[word()] = value(depth + 1);
    return object;
  }

 private:
  int below(int end) { return std::uniform_int_distribution(0, end - 1)(engine_); }

  json list(int depth) {
    json list = json::array();
    for (int i = below(5); i > 0; --i) list.push_back(value(depth + 1));
    return list;
  }

  std::string word() {
    static const std::vector<std::string> kPieces = {"yes",
                                                     "null",
                                                     "~",
                                                     "1",
                                                     "0x1",
                                                     ".5",
                                                     "1e3",
                                                     "-",
                                                     ":",
                                                     ": ",
                                                     " #",
                                                     "\n",
                                                     "\t",
                                                     "'",
                                                     "\"",
                                                     "\\",
                                                     "{",
                                                     "}",
                                                     "[",
                                                     "]",
                                                     "&a",
                                                     "*",
                                                     "!",
                                                     "%",
                                                     "@",
                                                     "`",
                                                     ",",
                                                     "<<",
                                                     "=",
                                                     "..",
                                                     "---",
                                                     "name",
                                                     "/dev",
                                                     "\xc3\xa9",
                                                     "\xf0\x9f\x98\x80",
                                                     "\xe2\x80\xa8",
                                                     "\x7f",
                                                     "\xc2\x85",
                                                     "\x01",
                                                     " ",
                                                     "\r",
                                                     "2026-01-01",
                                                     "$",
                                                     "\xef\xbb\xbf"};
    std::string word;
    for (int i = below(4); i > 0; --i) word += kPieces[below(static_cast<int>(kPieces.size()))];
    return word;
  }

  std::mt19937 engine_;
};

TEST(YamlText, ReadsBackAsTheSameValues) {
  for (int seed = 0; seed < 2000; ++seed) {
    std::vector<json> documents;
    Random random(seed);
    for (int i = 0; i < 2; ++i) documents.push_back({{"v", random.object(0)}});
    const std::string text = to_yaml(documents);
    const auto back = parse_manifest(text);
    ASSERT_TRUE(back) << text << back.error().message;
    ASSERT_EQ(*back, documents) << "seed " << seed << "\n" << text;
  }
}

TEST(YamlText, IsWrittenAsPeopleWouldWriteIt) {
  const json pod = json::parse(R"({"kind": "Pod", "env": [{"name": "PORT", "value": "29500"},
    {"name": "CONFIG", "value": "{\"lr\":0.1}"}], "none": [], "empty": {}, "port": 29500,
    "image": "lockstep/trainer:1", "text": "a\nb"})");
  EXPECT_EQ(to_yaml({pod}), R"(---
empty: {}
env:
  - name: PORT
    value: '29500'
  - name: CONFIG
    value: '{"lr":0.1}'
image: lockstep/trainer:1
kind: Pod
none: []
port: 29500
text: "a\nb"
)");
}

}  // namespace
}  // namespace lockstep
