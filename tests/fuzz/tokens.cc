// Fuzzes token files and the reading of whole files, gzipped ones among them.
#include "trainer/data/tokens.h"

#include <vector>

#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/target.h"
#include "trainer/data/bytes.h"

namespace {

void cut(const lockstep::Tokens& tokens) {
  const std::int64_t length = tokens.size() - 1;
  if (length < 1) return;
  std::vector<std::int64_t> inputs(length), targets(length);
  tokens.window(0, 1 << 16, inputs, targets);
  lockstep::fuzz::must(targets.back() == tokens[length]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using lockstep::TokenWidth;
  const lockstep::fuzz::MemoryFile file({data, size});
  for (const TokenWidth width : {TokenWidth::k16Bits, TokenWidth::k32Bits}) {
    lockstep::fuzz::may_refuse([&] { cut(lockstep::Tokens::map(file.path(), width)); });
  }
  lockstep::fuzz::may_refuse(
      [&] { lockstep::fuzz::must(lockstep::read_bytes(file.path(), 1 << 16).size() <= 1 << 16); });
  return 0;
}
