// Fuzzes the idx reader: the input as the images of two labels, and as the labels of two images.
#include <string>

#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/target.h"
#include "trainer/data/idx_reader.h"

namespace {

using namespace std::string_literals;

const std::string kImages =
    "\0\0\x08\x03"s + "\0\0\0\x02"s + "\0\0\0\x01"s + "\0\0\0\x03"s + "abcdef";
const std::string kLabels = "\0\0\x08\x01"s + "\0\0\0\x02"s + "\x07\x09";

lockstep::fuzz::Input bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void read(lockstep::fuzz::Input images, lockstep::fuzz::Input labels) {
  const lockstep::fuzz::MemoryFile image_file(images), label_file(labels);
  lockstep::fuzz::may_refuse([&] {
    const auto set = lockstep::read_idx_dataset(image_file.path(), label_file.path());
    lockstep::fuzz::must(set.size() > 0);
    lockstep::fuzz::must(static_cast<std::int64_t>(set.images.size()) ==
                         set.size() * set.rows * set.columns);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read({data, size}, bytes_of(kLabels));
  read(bytes_of(kImages), {data, size});
  return 0;
}
