// Checkpoints small enough to write by the hundred, whose contents follow from their step.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "trainer/state/checkpoint_directory.h"

namespace lockstep::testing {

// Owns the bytes that its contents borrow.
class SmallCheckpoint {
 public:
  explicit SmallCheckpoint(std::int64_t step)
      : weight_(step), model_(record_of("weight", {1})), optimizer_(record_of("momentum", {})) {}
  SmallCheckpoint(const SmallCheckpoint&) = delete;
  SmallCheckpoint& operator=(const SmallCheckpoint&) = delete;

  CheckpointContents contents() const {
    return {.model = {&model_, 1}, .optimizer = {&optimizer_, 1}, .state = {{"cursor", weight_}}};
  }

 private:
  TensorRecord record_of(const char* name, std::vector<std::int64_t> shape) const {
    return {.name = name,
            .dtype = Dtype::kI64,
            .shape = std::move(shape),
            .bytes = std::as_bytes(std::span(&weight_, 1))};
  }

  std::int64_t weight_;
  TensorRecord model_;
  TensorRecord optimizer_;
};

inline void publish(CheckpointWriter& writer, std::int64_t step) {
  writer.publish(step, SmallCheckpoint(step).contents());
}

// True when all parts are those that SmallCheckpoint(checkpoint.step) has.
inline bool holds_its_step(const Checkpoint& checkpoint) {
  const auto value = [](const TensorRecord* tensor) {
    std::int64_t number = -1;
    if (tensor != nullptr && tensor->bytes.size() == sizeof number) {
      std::memcpy(&number, tensor->bytes.data(), sizeof number);
    }
    return number;
  };
  return value(checkpoint.model.find("weight")) == checkpoint.step &&
         value(checkpoint.optimizer.find("momentum")) == checkpoint.step &&
         checkpoint.state == nlohmann::json{{"cursor", checkpoint.step}};
}

// -1 when there is none.
inline std::int64_t newest_step(const std::filesystem::path& directory) {
  const FoundCheckpoints found = find_newest_checkpoint(directory);
  return found.newest ? found.newest->step : -1;
}

}  // namespace lockstep::testing
