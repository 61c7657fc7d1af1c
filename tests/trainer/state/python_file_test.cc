// The format against Python's own files, and against files ruined in every way we could think of.
#include "trainer/state/python_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/temporary_directory.h"
#include "trainer/errors.h"
#include "trainer/state/stored_zip.h"
#include "trainer/state/weights_file.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

std::string golden(const std::string& name) {
  return testing::content_of(std::string(GOLDEN_DIR) + "/" + name);
}

PythonFile parsed(std::string_view content) {
  auto bytes = std::make_unique<std::byte[]>(content.size());
  std::memcpy(bytes.get(), content.data(), content.size());
  return PythonFile::parse(std::move(bytes), content.size(), "test");
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string written(std::span<const TensorRecord> tensors) {
  std::string content;
  write_python_file(tensors, [&](auto bytes) { content += text_of(bytes); });
  return content;
}

std::string zipped(const std::vector<std::pair<std::string, std::string>>& members) {
  std::vector<ZipMember> zip;
  for (const auto& [name, content] : members) {
    zip.push_back({name, std::as_bytes(std::span(content))});
  }
  std::string archive;
  write_stored_zip(zip, [&](auto bytes) { archive += text_of(bytes); });
  return archive;
}

std::string member_of(std::string_view archive, std::string_view end_of_name) {
  for (const ZipMember& member : members_of(std::as_bytes(std::span(archive)))) {
    if (member.name.ends_with(end_of_name)) return std::string(text_of(member.bytes));
  }
  return "absent";
}

const TensorRecord& tensor(const PythonFile& file, std::string_view name) {
  return *std::ranges::find(file.tensors(), name, &TensorRecord::name);
}

template <typename Value>
std::vector<Value> values_of(const PythonFile& file, std::string_view name) {
  const TensorRecord& record = tensor(file, name);
  std::vector<Value> values(record.bytes.size() / sizeof(Value));
  std::memcpy(values.data(), record.bytes.data(), record.bytes.size());
  return values;
}

TEST(PythonFile, ReadsEachDtype) {
  const PythonFile file = parsed(golden("plain.pt"));
  EXPECT_EQ(file.tensors().size(), 20u);
  EXPECT_TRUE(std::ranges::is_sorted(file.tensors(), {}, &TensorRecord::name));
  EXPECT_THAT(values_of<float>(file, "f32"), ElementsAre(0.5F, -1.25F, 3));
  EXPECT_THAT(values_of<double>(file, "f64"), ElementsAre(0.1, 0.2, 0.3, 0.4));
  EXPECT_THAT(values_of<std::uint16_t>(file, "f16"),
              ElementsAre(0x3e00, 0xc000, 0x4400, 0x4800, 0x4c00));
  EXPECT_THAT(values_of<std::uint16_t>(file, "bf16"), ElementsAre(0x3fc0, 0xc000));
  EXPECT_THAT(values_of<std::int64_t>(file, "i64"), ElementsAre(-7));
  EXPECT_THAT(values_of<std::int32_t>(file, "i32"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(values_of<std::int16_t>(file, "i16"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(values_of<std::int8_t>(file, "i8"), ElementsAre(-9));
  EXPECT_THAT(values_of<std::uint8_t>(file, "u8"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values_of<std::uint8_t>(file, "bool"), ElementsAre(1, 0, 1));
  EXPECT_THAT(values_of<std::uint16_t>(file, "u16"), ElementsAre(65535, 1));
  EXPECT_THAT(values_of<std::uint32_t>(file, "u32"), ElementsAre(5));
  EXPECT_THAT(values_of<std::uint64_t>(file, "u64"), ElementsAre(UINT64_MAX));
  EXPECT_THAT(values_of<std::uint8_t>(file, "e4"), ElementsAre(0x38, 0x40));
  EXPECT_THAT(values_of<std::uint8_t>(file, "e5"), ElementsAre(0x3c, 0x38));
  EXPECT_THAT(tensor(file, "i64").shape, ElementsAre());
  EXPECT_THAT(tensor(file, "i16").shape, ElementsAre(1, 2, 2, 2));
  EXPECT_THAT(tensor(file, "longest").shape, ElementsAre(0, 3'000'000'000, 2));
  EXPECT_EQ(tensor(file, "e4").dtype, Dtype::kF8E4M3);
  EXPECT_EQ(tensor(file, "bool").dtype, Dtype::kBool);
}

// Values as Python prints them.
void expect_equal(const nlohmann::json& expected, const PythonFile& file,
                  const std::string& prefix) {
  EXPECT_EQ(file.tensors().size(), expected.size());
  for (const auto& [name, told] : expected.items()) {
    const TensorRecord& record = tensor(file, prefix + name);
    EXPECT_EQ(record.shape, told[1].get<std::vector<std::int64_t>>()) << name;
    if (told[0] == "torch.float32") {
      EXPECT_EQ(values_of<float>(file, prefix + name), told[2].get<std::vector<float>>()) << name;
    } else {
      EXPECT_EQ(values_of<std::int64_t>(file, prefix + name),
                told[2].get<std::vector<std::int64_t>>())
          << name;
    }
  }
}

TEST(PythonFile, ReadsTheStateOfAModuleAndOfAWholeRun) {
  const auto expected = nlohmann::json::parse(golden("module.json"));
  expect_equal(expected, parsed(golden("module.pt")), "");
  expect_equal(expected, parsed(golden("whole.pth")), "module.");
}

TEST(PythonFile, ReadsViewsInRowMajorOrder) {
  const PythonFile file = parsed(golden("views.pt"));
  EXPECT_THAT(values_of<float>(file, "part"), ElementsAre(4, 5, 6, 7, 8, 9));
  EXPECT_THAT(values_of<float>(file, "transposed"),
              ElementsAre(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11));
  EXPECT_THAT(values_of<float>(file, "every other"), ElementsAre(1, 3, 5, 7, 9, 11));
  EXPECT_THAT(values_of<float>(file, "parameter"), ElementsAre(1, 1));
  std::vector<std::int32_t> ascending(24);
  for (int i = 0; i < 24; ++i) ascending[i] = i;
  EXPECT_EQ(values_of<std::int32_t>(file, "channels last"), ascending);
  EXPECT_THAT(tensor(file, "none of a row").shape, ElementsAre(3, 0));
}

// Tensors of a Python file, in the order in which torch.save got them.
std::vector<TensorRecord> in_order(const PythonFile& file,
                                   std::initializer_list<std::string_view> names) {
  std::vector<TensorRecord> records;
  for (const std::string_view name : names) records.push_back(tensor(file, name));
  return records;
}

TEST(PythonFile, WritesThePickleThatPythonWrites) {
  const PythonFile plain = parsed(golden("plain.pt"));
  const auto records = in_order(
      plain, {"f32", "f64", "f16", "bf16", "i64", "i32",   "i16",  "i8",     "u8",      "bool",
              "u16", "u32", "u64", "e4",   "e5",  "empty", "long", "longer", "longest", "gap"});
  EXPECT_EQ(member_of(written(records), "/data.pkl"), member_of(golden("plain.pt"), "/data.pkl"));
  const PythonFile one = parsed(golden("one.pt"));
  EXPECT_EQ(member_of(written(one.tensors()), "/data.pkl"),
            member_of(golden("one.pt"), "/data.pkl"));
}

TEST(PythonFile, AlignsEachMemberAndNamesNoTime) {
  const PythonFile plain = parsed(golden("plain.pt"));
  const std::string archive = written(plain.tensors());
  EXPECT_EQ(archive, written(plain.tensors()));
  for (const ZipMember& member : members_of(std::as_bytes(std::span(archive)))) {
    EXPECT_EQ((text_of(member.bytes).data() - archive.data()) % 64, 0) << member.name;
  }
}

// More tensors than the pickle notes in one byte, or sets in one go.
TEST(PythonFile, ReadsWhatItWroteAtAnySize) {
  for (const std::size_t count : {0, 1, 2, 20, 999, 1000, 1001, 2001}) {
    std::vector<float> values(count);
    std::vector<TensorRecord> records;
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<float>(i);
      records.push_back({.name = "weight " + std::to_string(100'000 + i),
                         .shape = {1},
                         .bytes = std::as_bytes(std::span(&values[i], 1))});
    }
    const PythonFile file = parsed(written(records));
    ASSERT_EQ(file.tensors().size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(file.tensors()[i].name, records[i].name);
      EXPECT_THAT(values_of<float>(file, records[i].name), ElementsAre(values[i]));
    }
  }
}

TEST(PythonFile, RefusesToWriteWhatPythonCouldNotRead) {
  const TensorRecord good{.name = "a", .shape = {0}, .bytes = {}};
  const TensorRecord unnamed{.name = "", .shape = {0}, .bytes = {}};
  const TensorRecord wrong{.name = "w", .shape = {2}, .bytes = {}};
  const TensorRecord twice[] = {good, good};
  EXPECT_THROW(written(twice), std::invalid_argument);
  EXPECT_THROW(written(std::span(&unnamed, 1)), std::invalid_argument);
  EXPECT_THROW(written(std::span(&wrong, 1)), std::invalid_argument);
}

TEST(PythonFile, SaysWhyItRefusesAFileOfPythons) {
  const struct {
    const char* name;
    const char* reason;
  } cases[] = {
      {"sparse.pt",
       "test: the pickle wants torch._utils _rebuild_sparse_tensor, which no "
       "state_dict needs"},
      {"object.pt", "test: the pickle wants pathlib PosixPath, which no state_dict needs"},
      {"legacy.pth", "test: is of PyTorch before 1.6: load it and torch.save() it anew"},
      {"protocol_4.pt",
       "test: the pickle is not of protocol 2, the one that torch.save writes by default"},
  };
  for (const auto& [name, reason] : cases) {
    EXPECT_THAT([&] { parsed(golden(name)); }, ThrowsMessage<BadData>(reason)) << name;
  }
}

// A pickle that makes {"w": tensor} out of these pieces.
std::string tensor_pickle(const std::string& storage, const std::string& place,
                          const std::string& rebuild = "ctorch._utils\n_rebuild_tensor_v2\n") {
  return std::string("\x80\x02}X\x01\0\0\0w", 9) + rebuild + "((" + storage + "tQ" + place +
         "\x89" + "ccollections\nOrderedDict\n)RtRs.";
}

std::string text(const std::string& value) {
  return std::string{'X', static_cast<char>(value.size()), 0, 0, 0} + value;
}

std::string number(int value) { return std::string{'K', static_cast<char>(value)}; }

std::string storage(int elements, const std::string& type = "FloatStorage",
                    const std::string& what = "storage", const std::string& key = "0") {
  return text(what) + "ctorch\n" + type + "\n" + text(key) + text("cpu") + number(elements);
}

std::string place(int offset, const std::string& shape, const std::string& strides) {
  return number(offset) + shape + strides;
}

const std::string kTwoByThree = number(2) + number(3) + "\x86";
const std::string kRows = number(3) + number(1) + "\x86";

std::string file_with(const std::string& pickle, const std::string& data = std::string(24, 'x')) {
  return zipped({{"a/data.pkl", pickle}, {"a/data/0", data}});
}

TEST(PythonFile, ReadsAFileMadeByHand) {
  EXPECT_EQ(
      tensor(parsed(file_with(tensor_pickle(storage(6), place(0, kTwoByThree, kRows)))), "w").shape,
      (std::vector<std::int64_t>{2, 3}));
}

TEST(PythonFile, SaysWhatIsWrongWithATensor) {
  const std::string good = place(0, kTwoByThree, kRows);
  const struct {
    std::string pickle;
    const char* reason;
  } cases[] = {
      {tensor_pickle(storage(7), good), "'w': damaged: its storage has 24 bytes, 7 elements of 4"},
      {tensor_pickle(storage(6, "DoubleStorage"), good), "'w': damaged: its storage has 24 bytes"},
      {tensor_pickle(storage(6, "float32"), good), "'w': a tensor has a storage of no dtype"},
      {tensor_pickle(storage(6, "FloatStorage", "module"), good), "'w': the pickle names no stor"},
      {tensor_pickle(storage(6, "FloatStorage", "storage", "1"), good),
       "'w': damaged: the archive has no member data/1"},
      {tensor_pickle(storage(6, "FloatStorage", "storage", "../data.pkl"), good),
       "'w': damaged: the archive has no member data/../data.pkl"},
      {tensor_pickle(storage(6), place(1, kTwoByThree, kRows)), "'w': leaves its storage"},
      {tensor_pickle(storage(6), place(0, kTwoByThree, number(4) + number(1) + "\x86")),
       "'w': leaves its storage"},
      {tensor_pickle(storage(6), place(0, kTwoByThree, number(1) + "\x85")),
       "'w': a tensor's shape and strides do not belong together"},
      {tensor_pickle(storage(6), place(0, number(200) + "\x85", number(0) + "\x85")),
       "'w': has elements that share a place"},
      {tensor_pickle(storage(6), place(0, "J\xff\xff\xff\xff\x85", number(1) + "\x85")),
       "'w': a tensor has a negative size or stride"},
      {tensor_pickle(storage(6), place(0, text("6") + "\x85", number(1) + "\x85")),
       "'w': a tensor is rebuilt in a way that this reader does not know"},
      {tensor_pickle(storage(6), good, "ctorch._utils\n_rebuild_parameter\n"),
       "'w': a tensor is rebuilt in a way"},
      {tensor_pickle(storage(6), good, "cos\nsystem\n"), "the pickle wants os system, which no"},
      {"\x80\x02" + text("w") + ".", "it holds no dict of tensors"},
      {"\x80\x02}" + text("w") + number(1) + "s.",
       "'w': is no tensor, and the file has no state_dict beside it"},
      {"\x80\x02}" + number(1) + number(1) + "s.", "a tensor's name is no text"},
  };
  for (const auto& [pickle, reason] : cases) {
    EXPECT_THAT([&] { parsed(file_with(pickle)); },
                ThrowsMessage<BadData>(StartsWith(std::string("test: ") + reason)));
  }
}

TEST(PythonFile, ShowsANameOnOneLine) {
  const std::string name("a\0\nb", 4);
  EXPECT_THAT([&] { parsed(file_with("\x80\x02}" + text(name) + "Ns.")); },
              ThrowsMessage<BadData>(StartsWith("test: 'a??b': is no tensor")));
}

TEST(PythonFile, SaysWhatIsWrongWithAPickle) {
  const std::string begin = "\x80\x02";
  const struct {
    std::string pickle;
    const char* reason;
  } cases[] = {
      {"", "the pickle ends too early"},
      {begin, "the pickle ends too early"},
      {begin + ".", "the pickle takes from an empty stack"},
      {begin + "(.", "the pickle takes from an empty stack"},
      {begin + "}(0.", "the pickle has instruction 48, which no state_dict needs"},
      {begin + "t", "the pickle has no mark to go back to"},
      {begin + "N(\x85", "the pickle takes from an empty stack"},
      {begin + "h\x01", "the pickle recalls what it never noted"},
      {begin + "X\xff\xff\xff\xff", "the pickle ends too early"},
      {begin + "cos", "the pickle ends too early"},
      {begin + "}]s", "the pickle takes from an empty stack"},
      {begin + "NNNs", "the pickle adds to something that is no list or dict"},
      {begin + "}(Nu.", "the pickle has a key without a value"},
      {begin + "}Na.", "the pickle adds to something that is no list or dict"},
      {begin + "ctorch\nfloat32\nNR.", "the pickle calls with something that is no tuple"},
      {begin + "N)R.", "the pickle calls something that is no function"},
      {begin + "NQ.", "the pickle calls with something that is no tuple"},
      {begin + "]}b.", "the pickle sets attributes of something that has none"},
      {begin + std::string(4'000'001, 'N'), "the pickle has more than 4000000 values"},
      {begin + std::string((16 << 20) + 1, 'N'), "its data.pkl is larger than 16 MiB"},
  };
  for (const auto& [pickle, reason] : cases) {
    EXPECT_THAT([&] { parsed(file_with(pickle)); },
                ThrowsMessage<BadData>(StartsWith(std::string("test: ") + reason)));
  }
}

// A dict within itself is of no harm.
TEST(PythonFile, StandsACircle) {
  EXPECT_THAT(
      [] {
        parsed(file_with(std::string("\x80\x02}q\0", 5) + text("w") + std::string("h\0s.", 4)));
      },
      ThrowsMessage<BadData>(HasSubstr("'w': is no tensor")));
}

TEST(PythonFile, SaysWhatIsWrongWithAnArchive) {
  const std::string pickle = tensor_pickle(storage(6), place(0, kTwoByThree, kRows));
  const std::string data(24, 'x');
  const struct {
    std::string content;
    const char* reason;
  } cases[] = {
      {"", "truncated, or no zip archive"},
      {std::string(100, 'P'), "truncated, or no zip archive"},
      {zipped({}), "no file of torch.save: it has no data.pkl"},
      {zipped({{"data.pkl", pickle}}), "no file of torch.save: it has no data.pkl"},
      {zipped({{"a/data.pkl", pickle}, {"b/data/0", data}}), "'w': damaged: the archive has no"},
      {zipped({{"a/data.pkl", pickle}, {"a/data/0", data}, {"a/data/0", data}}),
       "member a/data/0 appears twice"},
      {zipped({{"a/data.pkl", pickle}, {"a/data/0", data}, {"a/byteorder", "big"}}),
       "its numbers are big-endian"},
  };
  for (const auto& [content, reason] : cases) {
    EXPECT_THAT([&] { parsed(content); },
                ThrowsMessage<BadData>(StartsWith(std::string("test: ") + reason)));
  }
}

// Each byte of the members is guarded by a sum; what is left are paddings, dates and the like.
TEST(PythonFile, NeverReadsOtherValuesFromARuinedFile) {
  const std::string sound = golden("module.pt");
  const PythonFile expected = parsed(sound);
  for (std::size_t size = 0; size < sound.size(); size += 7) {
    EXPECT_THROW(parsed(sound.substr(0, size)), BadData) << size;
  }
  std::size_t refused = 0;
  for (std::size_t at = 0; at < sound.size(); ++at) {
    std::string ruined = sound;
    ruined[at] = static_cast<char>(ruined[at] ^ (1 << at % 8));
    try {
      const PythonFile file = parsed(ruined);
      for (const TensorRecord& record : file.tensors()) {
        EXPECT_EQ(text_of(record.bytes), text_of(tensor(expected, record.name).bytes)) << at;
      }
    } catch (const BadData&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, sound.size() / 3);
}

// Bytes at random in the pickle, whose sum is then made right again.
TEST(PythonFile, StandsRandomPickles) {
  const std::string sound = member_of(golden("whole.pth"), "/data.pkl");
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string pickle = sound;
    for (std::uint32_t n = random() % 4 + 1; n > 0; --n) {
      pickle[random() % pickle.size()] = static_cast<char>(random());
    }
    try {
      parsed(file_with(pickle));
    } catch (const BadData&) {
    }
  }
}

TEST(WeightsFile, TellsTheFormatsApartByTheirContents) {
  const std::string folder = GOLDEN_DIR;
  EXPECT_EQ(WeightsFile::read(folder + "/mixed.safetensors").tensors().size(), 17u);
  EXPECT_EQ(WeightsFile::read(folder + "/module.pt").tensors().size(), 9u);
  EXPECT_THAT([&] { WeightsFile::read(folder + "/legacy.pth"); },
              ThrowsMessage<BadData>(HasSubstr("legacy.pth: is of PyTorch before 1.6")));
  EXPECT_THAT([&] { WeightsFile::read(folder + "/absent.pt"); },
              ThrowsMessage<BadData>(HasSubstr("cannot read ")));
}

}  // namespace
}  // namespace lockstep
