// Fuzzes the CIFAR reader, as both kinds.
#include "tests/fuzz/target.h"
#include "trainer/data/cifar_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto kind : {lockstep::CifarKind::kCifar10, lockstep::CifarKind::kCifar100}) {
    lockstep::fuzz::may_refuse([&] {
      lockstep::CifarDataset set;
      lockstep::append_cifar(kind, {data, size}, "input", set);
      lockstep::fuzz::must(set.size() > 0 && set.image(set.size() - 1).rows == 32);
    });
  }
  return 0;
}
