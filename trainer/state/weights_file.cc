// Looks at the first bytes to read, at the name to write.
#include "trainer/state/weights_file.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "trainer/state/durable_file.h"

namespace lockstep {

WeightsFile WeightsFile::read(const std::filesystem::path& path) {
  FileContent file = read_input(path);
  if (is_python_file({file.bytes.get(), file.size})) {
    return WeightsFile(PythonFile::parse(std::move(file.bytes), file.size, path.string()));
  }
  return WeightsFile(Safetensors::parse(std::move(file.bytes), file.size, path.string()));
}

const std::vector<TensorRecord>& WeightsFile::tensors() const {
  return std::visit(
      [](const auto& file) -> const auto& { return file.tensors(); }, file_);
}

void write_weights(const std::filesystem::path& path, std::span<const TensorRecord> tensors) {
  const std::string extension = path.extension().string();
  const bool is_python = extension == ".pt" || extension == ".pth";
  if (!is_python && extension != ".safetensors") {
    throw std::invalid_argument("cannot tell a format by the name " + path.string() +
                                ": let it end in .safetensors, .pt or .pth");
  }
  replace_file(std::filesystem::absolute(path), [&](DurableFile& file) {
    const auto sink = [&](std::span<const std::byte> bytes) { file.write(bytes); };
    if (is_python) {
      write_python_file(tensors, sink);
    } else {
      write_safetensors(tensors, {{"format", "pt"}}, sink);
    }
  });
}

}  // namespace lockstep
