// torch's own archive, by way of a file that appears whole.
#include "trainer/state/torch_script.h"

#include <torch/csrc/jit/serialization/export.h>

#include "trainer/state/durable_file.h"
#include "trainer/torch.h"

namespace lockstep {

void write_script(const std::filesystem::path& path, const torch::jit::Module& module) {
  replace_file(std::filesystem::absolute(path), [&](DurableFile& file) {
    torch::jit::ExportModule(module, [&](const void* bytes, std::size_t count) {
      file.write({static_cast<const std::byte*>(bytes), count});
      return count;
    });
  });
}

}  // namespace lockstep
