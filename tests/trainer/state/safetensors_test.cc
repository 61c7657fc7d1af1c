// The format against Python's own files, and against files ruined in every way we could think of.
#include "trainer/state/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/support/temporary_directory.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

std::string golden(const std::string& name) {
  return testing::content_of(std::string(GOLDEN_DIR) + "/" + name);
}

Safetensors parsed(std::string_view content) {
  auto bytes = std::make_unique<std::byte[]>(content.size());
  std::memcpy(bytes.get(), content.data(), content.size());
  return Safetensors::parse(std::move(bytes), content.size(), "test");
}

std::string written(std::span<const TensorRecord> tensors, const Metadata& metadata) {
  std::string content;
  write_safetensors(tensors, metadata, [&](std::span<const std::byte> bytes) {
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return content;
}

std::string file_of(const std::string& header, const std::string& data = "") {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

template <typename Value>
std::vector<Value> values_of(const Safetensors& file, const char* name) {
  const TensorRecord* tensor = file.find(name);
  if (tensor == nullptr) return {};
  std::vector<Value> values(tensor->bytes.size() / sizeof(Value));
  std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
  return values;
}

TEST(Safetensors, ReadsWhatPythonWrote) {
  const Safetensors file = parsed(golden("mixed.safetensors"));
  EXPECT_THAT(file.metadata(), ElementsAre(std::pair("format", "pt")));
  EXPECT_EQ(file.tensors().size(), 17u);
  EXPECT_TRUE(std::ranges::is_sorted(file.tensors(), {}, &TensorRecord::name));
  EXPECT_THAT(file.find("conv.weight")->shape, ElementsAre(1, 2, 3));
  EXPECT_THAT(values_of<float>(file, "conv.weight"), ElementsAre(0, 0.25, 0.5, 0.75, 1, 1.25));
  EXPECT_THAT(values_of<std::int64_t>(file, "bn.num_batches_tracked"), ElementsAre(7));
  EXPECT_THAT(file.find("bn.num_batches_tracked")->shape, ElementsAre());
  EXPECT_THAT(values_of<std::uint16_t>(file, "brain"), ElementsAre(0x3fc0, 0xc000));
  EXPECT_EQ(file.find("brain")->dtype, Dtype::kBF16);
  EXPECT_THAT(values_of<double>(file, "double"), ElementsAre(0.1, 0.2));
  EXPECT_THAT(file.find("none")->shape, ElementsAre(0, 4));
  EXPECT_EQ(file.find("absent"), nullptr);
  EXPECT_TRUE(parsed(golden("empty.safetensors")).tensors().empty());
}

TEST(Safetensors, WritesWhatPythonWrites) {
  const Safetensors file = parsed(golden("mixed.safetensors"));
  std::vector<TensorRecord> shuffled = file.tensors();
  std::mt19937 engine(3);
  for (int i = 0; i < 5; ++i) {
    std::ranges::shuffle(shuffled, engine);
    EXPECT_EQ(written(shuffled, {{"format", "pt"}}), golden("mixed.safetensors"));
  }
  EXPECT_EQ(written({}, {}), golden("empty.safetensors"));
}

TEST(Safetensors, AlignsEachTensorToItsDtype) {
  const Safetensors file = parsed(golden("mixed.safetensors"));
  for (const TensorRecord& tensor : file.tensors()) {
    const auto address = reinterpret_cast<std::uintptr_t>(tensor.bytes.data());
    EXPECT_EQ(address % dtype_size(tensor.dtype), 0u) << tensor.name;
  }
}

TEST(Safetensors, SaysHowAFileIsRuined) {
  const std::string f32 = R"("dtype":"F32","shape":[2],"data_offsets":[0,8])";
  const std::string eight(8, 'x');
  const struct {
    std::string content, message;
  } cases[] = {
      {"", "truncated: no room for the length"},
      {std::string(7, '\0'), "truncated: no room for the length"},
      {std::string("\x01\xe1\xf5\x05\0\0\0\0", 8) + "{}", "a header of 100000001 bytes"},
      {std::string(8, '\xff') + "{}", "a header of 18446744073709551615 bytes"},
      {std::string("\x03\0\0\0\0\0\0\0", 8) + "{}", "truncated: the file ends within the header"},
      {file_of(""), "the header does not begin with '{'"},
      {file_of(" {}"), "the header does not begin with '{'"},
      {file_of("[]"), "the header does not begin with '{'"},
      {file_of("{"), "the header is not valid JSON"},
      {file_of("{}x"), "the header is not valid JSON"},
      {file_of("{\"\xff\":1}"), "the header is not valid JSON"},
      {file_of(R"({"a":{"shape":[[1]]}})"), "the header is nested deeper"},
      {file_of(R"({"a":1})"), "tensor 'a' is not an object"},
      {file_of(R"({"":{)" + f32 + "}}", eight), "a tensor has an empty name"},
      {file_of(R"({"a":{"shape":[2],"data_offsets":[0,8]}})", eight), "tensor 'a' has no dtype"},
      {file_of(R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", eight), "tensor 'a' has no shape"},
      {file_of(R"({"a":{"dtype":"F32","shape":[2]}})", eight), "tensor 'a' has no data_offsets"},
      {file_of(R"({"a":{"more":1,)" + f32 + "}}", eight), "tensor 'a' has keys beside"},
      {file_of(R"({"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}})", eight),
       "tensor 'a' has the unknown dtype \"F31\""},
      {file_of(R"({"a":{"dtype":7,"shape":[2],"data_offsets":[0,8]}})", eight),
       "tensor 'a' has the unknown dtype 7"},
      {file_of(R"({"a":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})", eight),
       "tensor 'a': shape is not a list"},
      {file_of(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", eight),
       "tensor 'a': shape holds something else"},
      {file_of(R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", eight),
       "tensor 'a': shape holds something else"},
      {file_of(R"({"a":{"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8]}})",
               eight),
       "tensor 'a': shape holds something else"},
      {file_of(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}})",
               eight),
       "tensor 'a': shape has more elements"},
      {file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", eight),
       "tensor 'a': data_offsets is not [begin, end]"},
      {file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", eight),
       "tensor 'a': data_offsets is not [begin, end]"},
      {file_of(R"({"a":{"dtype":"F64","shape":[2],"data_offsets":[0,8]}})", eight),
       "tensor 'a' has 8 bytes, its dtype and shape need 16"},
      {file_of("{\"a\":{" + f32 + "}}", eight + "y"), "has 1 bytes after the last tensor"},
      {file_of("{\"a\":{" + f32 + "}}", "xxxxxxx"), "truncated: tensor 'a' ends at 8"},
      {file_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})", eight),
       "tensor 'a' begins at 4, the one before ends at 0: a hole"},
      {file_of("{\"a\":{" + f32 + R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
               eight),
       "tensor 'b' begins at 4, the one before ends at 8: they overlap"},
      {file_of("{\"a\":{" + f32 + "},\"a\":{" + f32 + "}}", eight), "the name 'a' appears twice"},
      {file_of(R"({"a":{"dtype":"U8",)" + f32 + "}}", eight), "the name 'dtype' appears twice"},
      {file_of(R"({"__metadata__":{"x":1}})"), "__metadata__ 'x' is not a string"},
      {file_of(R"({"__metadata__":[]})"), "__metadata__ is not an object"},
  };
  for (const auto& [content, message] : cases) {
    EXPECT_THAT([&] { parsed(content); }, ThrowsMessage<BadData>(StartsWith("test: " + message)));
  }
}

// Whatever the bytes, a file is refused or its tensors tile its data.
TEST(Safetensors, SurvivesRandomDamage) {
  const std::string sound = golden("mixed.safetensors");
  std::mt19937 engine(11);
  const auto below = [&](std::size_t limit) { return engine() % limit; };
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string content = sound;
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(content.size());
      switch (below(4)) {
        case 0:
          content[at] ^= static_cast<char>(1 << below(8));
          break;
        case 1:
          content.resize(std::max<std::size_t>(at, 1));
          break;
        case 2:
          content.insert(at, content, below(content.size()), below(40));
          break;
        default:
          content[at] = "0123456789[]{},:\""[below(17)];
      }
    }
    try {
      std::size_t total = 0;
      const Safetensors file = parsed(content);
      for (const TensorRecord& tensor : file.tensors()) total += tensor.bytes.size();
      EXPECT_LT(total, content.size());
    } catch (const BadData&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10000);
  EXPECT_LT(refused, 20000);
}

TEST(Safetensors, RefusesToWriteWhatItCouldNotRead) {
  const std::vector<std::byte> eight(8);
  const TensorRecord sound{.name = "a", .dtype = Dtype::kF32, .shape = {2}, .bytes = eight};
  const auto with = [&](auto change) {
    TensorRecord tensor = sound;
    change(tensor);
    return std::vector{tensor};
  };
  const struct {
    std::vector<TensorRecord> tensors;
    const char* message;
  } cases[] = {
      {{sound, sound}, "two tensors are named 'a'"},
      {with([](auto& t) { t.name = ""; }), "cannot be named ''"},
      {with([](auto& t) { t.name = "__metadata__"; }), "cannot be named '__metadata__'"},
      {with([](auto& t) { t.name = "\xff"; }), "not UTF-8"},
      {with([](auto& t) { t.shape = {3}; }), "tensor 'a' of F32 [3] has 8 bytes"},
      {with([](auto& t) { t.shape = {-2}; }), "tensor 'a' of F32 [-2] has 8 bytes"},
      {with([](auto& t) { t.dtype = Dtype::kF64; }), "tensor 'a' of F64 [2] has 8 bytes"},
  };
  for (const auto& [tensors, message] : cases) {
    EXPECT_THAT([&] { written(tensors, {}); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(message)));
  }
}

TEST(Safetensors, ReadsAFileAndNamesAMissingOne) {
  EXPECT_EQ(Safetensors::read(std::string(GOLDEN_DIR) + "/mixed.safetensors").tensors().size(),
            17u);
  EXPECT_THAT([] { Safetensors::read("absent.safetensors"); },
              ThrowsMessage<BadData>("cannot read absent.safetensors: No such file or directory"));
}

}  // namespace
}  // namespace lockstep
