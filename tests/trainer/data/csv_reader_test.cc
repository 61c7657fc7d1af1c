// CSV tables: headers, quotes, labels as numbers and as texts, and a sentence for each fault.
#include "trainer/data/csv_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/data/faults.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

CsvTable parsed(std::string_view text, const CsvFormat& format = {}) {
  return parse_csv(text, "t.csv", format);
}

TEST(CsvReader, ReadsNumbersWithTheLastColumnAsTheLabel) {
  const CsvTable table = parsed("1,2.5,0\n-3,4e1,12\n");
  EXPECT_THAT(table.columns, ElementsAre("0", "1"));
  EXPECT_THAT(table.values, ElementsAre(1, 2.5F, -3, 40));
  EXPECT_THAT(table.labels, ElementsAre(0, 12));
  EXPECT_THAT(table.classes, IsEmpty());
  EXPECT_THAT(std::vector(table.row(1).begin(), table.row(1).end()), ElementsAre(-3, 40));
}

TEST(CsvReader, TakesTheSameTableFromEachWayToWriteIt) {
  const CsvTable plain = parsed("x,y,kind\n1,2,0\n3,4,1\n");
  for (const char* text : {"x,y,kind\r\n1,2,0\r\n3,4,1", "\xef\xbb\xbfx,y,kind\n1,2,0\n3,4,1\n",
                           "\n x , y , kind \n\n 1 , 2 , 0 \n   \n+3,4.0,1\n\n",
                           "\"x\",\"y\",\"kind\"\n\"1\",2,0\n3,\"4\",\"1\"\n"}) {
    EXPECT_EQ(parsed(text).identity(), plain.identity()) << text;
    EXPECT_EQ(parsed(text).columns, plain.columns) << text;
  }
  EXPECT_EQ(parsed("x\ty\tkind\n1\t2\t0\n3\t4\t1\n", {.separator = '\t', .label = ""}).identity(),
            plain.identity());
}

TEST(CsvReader, FindsTheLabelColumnByNameOrNumber) {
  for (const char* label : {"kind", "1"}) {
    const CsvTable table = parsed("x,kind,y\n1,5,2\n", {.label = label});
    EXPECT_THAT(table.columns, ElementsAre("x", "y")) << label;
    EXPECT_THAT(table.values, ElementsAre(1, 2)) << label;
    EXPECT_THAT(table.labels, ElementsAre(5)) << label;
  }
}

TEST(CsvReader, NumbersLabelTextsInByteOrderOrAsTold) {
  const char* text = "1,setosa\n2,\"a, \"\"b\"\"\"\n3,setosa\n4,Z\n";
  const CsvTable table = parsed(text);
  EXPECT_THAT(table.classes, ElementsAre("Z", "a, \"b\"", "setosa"));
  EXPECT_THAT(table.labels, ElementsAre(2, 1, 2, 0));
  const CsvTable told = parsed("9,b\n", {.label = "", .classes = {"c", "b", "a"}});
  EXPECT_THAT(told.labels, ElementsAre(1));
}

TEST(CsvReader, SaysWhatIsWrongAndWhere) {
  const struct {
    std::string text, fault;
    CsvFormat format{};
  } cases[] = {
      {"", "t.csv: holds no rows"},
      {"\n\n", "t.csv: holds no rows"},
      {"x,y,label\n", "t.csv: holds no rows"},
      {"5\n6\n", "t.csv: line 1: one column only, expected values and a label"},
      {"1,2,0\n\n1,0\n", "t.csv: line 3: 2 fields, the first line has 3"},
      {"1,2,0\n1,2,0,\n", "t.csv: line 2: 4 fields, the first line has 3"},
      {"1,0\nx,0\n", "t.csv: line 2: column 1: \"x\" is no finite number"},
      {"1,0\n1.5.2,0\n", "t.csv: line 2: column 1: \"1.5.2\" is no finite number"},
      {"1,0\n,0\n", "t.csv: line 2: column 1: no value"},
      {"1,0\nnan,0\n", "t.csv: line 2: column 1: \"nan\" is no finite number"},
      {"1,0\n1e39,0\n", "t.csv: line 2: column 1: \"1e39\" is no finite number"},
      {"1,0\n1,\n", "t.csv: line 2: no label"},
      {"1,0\n\n2,-1\n", "t.csv: line 3: label -1 is below 0"},
      {"1,0\n\"2,1\n", "t.csv: line 2: a quote is not closed on its line"},
      {"1,0\n\"2\"x,1\n", "t.csv: line 2: text behind a closing quote"},
      {"x,y\n1,0\n", "t.csv: line 1: no column \"z\" for the labels among: x, y", {.label = "z"}},
      {"1,0\n", "t.csv: line 1: no column \"2\" for the labels among: 1, 0", {.label = "2"}},
      {"1,a\n2,c\n",
       "t.csv: line 2: label \"c\" is none of the classes",
       {.label = "", .classes = {"a", "b"}}},
      {std::string(100'000, ','), "t.csv: line 1: more than 100000 columns"},
  };
  for (const auto& [text, fault, format] : cases) {
    EXPECT_EQ(testing::fault_of([&] { parsed(text, format); }), fault) << text.substr(0, 50);
  }
}

TEST(CsvReader, AcceptsOrRefusesEveryCutInOneSentence) {
  const std::string whole = "x,\"y \"\"z\",label\r\n1,-2.5e3,\"a\"\r\n3,4,b\r\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string fault = testing::fault_of([&] { parsed(whole.substr(0, size)); });
    EXPECT_THAT(fault, ::testing::AnyOf("accepted", StartsWith("t.csv: "))) << size;
  }
}

TEST(CsvReader, ReadsGzippedFiles) {
  testing::TemporaryDirectory directory;
  const gzFile file = gzopen((directory / "digits.csv.gz").c_str(), "wb");
  gzputs(file, "0.0,16,3\n8,7,9\n");
  gzclose(file);
  EXPECT_THAT(read_csv(directory / "digits.csv.gz").labels, ElementsAre(3, 9));
}

}  // namespace
}  // namespace lockstep
