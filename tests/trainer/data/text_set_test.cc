// Labelled texts and their vocabulary, against what Python makes of the same files.
#include "trainer/data/text_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/trainer/data/faults.h"
#include "tests/trainer/data/golden.h"
#include "trainer/data/vocabulary.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using testing::fault_of;
using testing::set_content;
using testing::TemporaryDirectory;

const char kFortunes[] = "/usr/share/games/fortunes";

TEST(TextSet, ReadsLabelledLines) {
  const TextSet set = parse_labelled_lines("b\tsome text\r\n\na\tx\ty\nb\tlast", "t.tsv");
  EXPECT_THAT(set.classes, ElementsAre("a", "b"));
  EXPECT_THAT(set.texts, ElementsAre("some text", "x\ty", "last"));
  EXPECT_THAT(set.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(parse_labelled_lines("b\tx", "t.tsv", {"c", "b"}).labels, ElementsAre(1));
}

TEST(TextSet, SaysWhatIsWrongInWhichLine) {
  const struct {
    const char* text;
    const char* fault;
  } cases[] = {
      {"", "t.tsv: holds no lines of a label, a tab and a text"},
      {"\n \n", "t.tsv: holds no lines of a label, a tab and a text"},
      {"a\tx\nb x\n", "t.tsv: line 2: no tab behind a label"},
      {"\n\tx\n", "t.tsv: line 2: no label before the tab"},
      {"a\t\n", "t.tsv: line 1: no text behind the tab"},
      {"a\tx\nd\tx\n", "t.tsv: line 2: label \"d\" is none of the classes"},
  };
  for (const auto& [text, fault] : cases) {
    EXPECT_EQ(fault_of([&] { parse_labelled_lines(text, "t.tsv", {"a", "b"}); }), fault);
  }
}

TEST(TextSet, CutsRecordsAtLinesOfOnePercentSign) {
  EXPECT_THAT(parse_records("one\n  two\n%\n%\nthree % four\n%%\n%\n \n%\n100%\n%"),
              ElementsAre("one\n  two", "three % four\n%%", "100%"));
  EXPECT_THAT(parse_records(""), ::testing::IsEmpty());
}

TEST(TextSet, TakesEachFileWithoutAnEndingForAClass) {
  TemporaryDirectory directory;
  set_content(directory / "zoo", "a\n%\nb\n%\n");
  set_content(directory / "ant", "c\n");
  set_content(directory / "zoo.dat", "no text");
  std::filesystem::create_directory(directory / "folder");
  const TextSet set = read_record_files(directory.path());
  EXPECT_THAT(set.classes, ElementsAre("ant", "zoo"));
  EXPECT_THAT(set.texts, ElementsAre("c", "a", "b"));
  EXPECT_THAT(set.labels, ElementsAre(0, 1, 1));

  const std::string at = directory.path().string();
  set_content(directory / "bare", "%\n%\n");
  EXPECT_EQ(fault_of([&] { read_record_files(directory.path()); }), at + "/bare: holds no records");
  EXPECT_EQ(fault_of([&] { read_record_files(directory / "folder"); }),
            at + "/folder: holds no files without an ending");
  EXPECT_EQ(fault_of([&] { read_record_files(directory / "none"); }),
            at + "/none: cannot list it: No such file or directory");
}

TEST(Vocabulary, SplitsIntoBytesCharactersAndWords) {
  const std::string text = "Don't  sée\t日,No!\n\xff\xe6";
  EXPECT_EQ(split_text(text, TextUnit::kByte).size(), text.size());
  EXPECT_THAT(split_text("é\xe6日\xff\xe6", TextUnit::kCharacter),
              ElementsAre("é", "\xe6", "日", "\xff", "\xe6"));
  EXPECT_THAT(split_text(text, TextUnit::kWord),
              ElementsAre("don't", "sée", "日", ",", "no", "!", "\xff\xe6"));
}

TEST(Vocabulary, NumbersPiecesByFallingCountAndThenByBytes) {
  const std::vector<std::string> texts = {"b a c", "b a", "b d!"};
  const Vocabulary all = Vocabulary::build(texts, {});
  EXPECT_THAT(all.pieces(), ElementsAre("b", "a", "!", "c", "d"));
  EXPECT_THAT(all.encode("d B x"), ElementsAre(6, 2, Vocabulary::kUnknown));
  EXPECT_EQ(all.decode(all.encode("d B x")), "d b ?");
  EXPECT_THAT(Vocabulary::build(texts, {.min_count = 2}).pieces(), ElementsAre("b", "a"));
  EXPECT_THAT(Vocabulary::build(texts, {.most = 3}).pieces(), ElementsAre("b", "a", "!"));
  EXPECT_THROW(Vocabulary::build(texts, {.most = 0}), std::invalid_argument);

  const Vocabulary bytes = Vocabulary::build({}, {.unit = TextUnit::kByte});
  EXPECT_EQ(bytes.size(), 258);
  EXPECT_THAT(bytes.encode("a\xff"), ElementsAre('a' + 2, 257));
}

TEST(Vocabulary, IsRestoredFromItsPieces) {
  const std::vector<std::string> texts = {"to be or not to be, é"};
  for (const TextUnit unit : {TextUnit::kByte, TextUnit::kCharacter, TextUnit::kWord}) {
    const Vocabulary first = Vocabulary::build(texts, {.unit = unit});
    const Vocabulary second(unit, first.pieces());
    EXPECT_EQ(second.encode(texts[0]), first.encode(texts[0]));
    EXPECT_EQ(second.size(), first.size());
    if (unit == TextUnit::kWord) continue;  // white space is gone
    EXPECT_EQ(first.decode(first.encode(texts[0])), texts[0]);
  }
}

TEST(EncodedTexts, PadsABatchToItsLongest) {
  const std::vector<std::string> texts = {"a b c d", "", "b"};
  const EncodedTexts encoded(texts, Vocabulary(TextUnit::kWord, {"a", "b", "c", "d"}), 3);
  EXPECT_THAT(encoded.lengths(), ElementsAre(3, 1, 1));
  const std::vector<std::int64_t> indices = {2, 0, 1};
  ASSERT_EQ(encoded.width(indices), 3);
  std::vector<std::int64_t> ids(9, -1);
  encoded.copy_padded(indices, ids);
  EXPECT_THAT(ids, ElementsAre(3, 0, 0, 2, 3, 4, 1, 0, 0));
  EXPECT_THROW(encoded.copy_padded(indices, std::span(ids).first(8)), std::invalid_argument);
}

TEST(Fortunes, AreReadAndNumberedAsByPython) {
  const auto golden = testing::golden_cases("fortunes.json");
  const TextSet set = read_record_files(kFortunes);
  std::map<std::string, int> records;
  for (const std::int32_t label : set.labels) ++records[set.classes[label]];
  EXPECT_EQ(records, (golden["records"].get<std::map<std::string, int>>()));

  const Vocabulary vocabulary = Vocabulary::build(
      set.texts,
      {.unit = TextUnit::kWord, .min_count = golden["least_count"], .most = golden["most"]});
  EXPECT_EQ(vocabulary.size(), golden["vocabulary"].get<int>());
  const auto frequent = golden["frequent"].get<std::vector<std::string>>();
  EXPECT_TRUE(std::equal(frequent.begin(), frequent.end(), vocabulary.pieces().begin()));

  const EncodedTexts encoded(set.texts, vocabulary, golden["longest"]);
  std::uint32_t crc = 0;
  std::int64_t pieces = 0;
  for (std::int64_t i = 0; i < encoded.size(); ++i) {
    const auto ids = encoded[i];
    crc = static_cast<std::uint32_t>(
        crc32_z(crc, reinterpret_cast<const Bytef*>(ids.data()), ids.size() * sizeof ids[0]));
    pieces += encoded.lengths()[i];
  }
  EXPECT_EQ(pieces, golden["pieces"].get<std::int64_t>());
  EXPECT_EQ(crc, golden["crc32"].get<std::uint32_t>());
}

}  // namespace
}  // namespace lockstep
