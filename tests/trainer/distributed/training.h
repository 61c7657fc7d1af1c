// A small training that ends within a second, with its checkpoints in a folder of the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"
#include "tests/trainer/distributed/ranks.h"
#include "trainer/state/safetensors.h"

namespace lockstep::testing {

using Settings = std::vector<std::string>;

inline constexpr int kLastStep = 80;  // of a run of 960 samples, 24 a step, two epochs

class Training : public ::testing::Test {
 protected:
  // lockstep-train on a small synthetic set, with its checkpoints in a folder of that name.
  std::vector<std::string> command(const std::string& checkpoints,
                                   const Settings& more = {}) const {
    std::vector<std::string> words{LOCKSTEP_TRAIN, "run"};
    Settings settings{"data.train.format=synthetic",
                      "data.train.samples=960",
                      "data.val.format=synthetic",
                      "data.val.samples=250",
                      "train.batch_size=24",
                      "train.eval_batch_size=40",
                      "optim.lr=0.05",
                      "log.every_steps=5",
                      "checkpoint.every_steps=6",
                      "checkpoint.directory=" + (folder_ / checkpoints).string()};
    settings.insert(settings.end(), more.begin(), more.end());
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    return words;
  }

  std::filesystem::path model_of(const std::string& checkpoints, int step = kLastStep) const {
    return folder_ / checkpoints / ("step-" + std::to_string(step)) / "model.safetensors";
  }

  std::string bytes_of(const std::string& checkpoints) const {
    return content_of(model_of(checkpoints));
  }

  void finish(const std::string& checkpoints, int ranks, const Settings& more = {}) const {
    for (const Exit& exit : run_ranks(command(checkpoints, more), ranks)) {
      ASSERT_EQ(exit.code, 0) << exit.output;
    }
  }

  TemporaryDirectory folder_;
};

inline std::string first_match(const std::string& text, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match.str(1) : "";
}

// Over all weights of two files of float32.
inline double largest_difference(const std::filesystem::path& left,
                                 const std::filesystem::path& right) {
  const Safetensors one = Safetensors::read(left), other = Safetensors::read(right);
  double largest = 0;
  for (const TensorRecord& record : one.tensors()) {
    const TensorRecord* twin = other.find(record.name);
    for (std::size_t at = 0; at < record.bytes.size(); at += sizeof(float)) {
      float a, b;
      std::memcpy(&a, record.bytes.data() + at, sizeof a);
      std::memcpy(&b, twin->bytes.data() + at, sizeof b);
      largest = std::max(largest, std::abs(static_cast<double>(a) - b));
    }
  }
  return largest;
}

}  // namespace lockstep::testing
