// From a format's name to the family that reads it.
#include "trainer/batches/source.h"

#include <cstdio>
#include <map>
#include <stdexcept>
#include <tuple>

#include "trainer/batches/sources.h"
#include "trainer/batches/subset.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

enum class Family { kImages, kPictures, kTables, kLabelledTexts, kTokenWindows };

Family family_of(const std::string& format) {
  static const std::map<std::string, Family> families = {{"idx", Family::kImages},
                                                         {"synthetic", Family::kImages},
                                                         {"cifar10", Family::kPictures},
                                                         {"cifar100", Family::kPictures},
                                                         {"folder", Family::kPictures},
                                                         {"csv", Family::kTables},
                                                         {"records", Family::kLabelledTexts},
                                                         {"lines", Family::kLabelledTexts},
                                                         {"text", Family::kTokenWindows},
                                                         {"tokens16", Family::kTokenWindows},
                                                         {"tokens32", Family::kTokenWindows}};
  return families.at(format);
}

Datasets open_family(const Config& config, at::Device device) {
  switch (family_of(config.data.train.format)) {
    case Family::kPictures:
      return open_pictures(config);
    case Family::kTables:
      return open_tables(config);
    case Family::kLabelledTexts:
      return open_labelled_texts(config);
    case Family::kTokenWindows:
      return open_token_windows(config);
    default:
      return open_images(config, device);
  }
}

std::string text_of(const DataShape& shape) {
  return std::to_string(shape.channels) + " x " + std::to_string(shape.rows) + " x " +
         std::to_string(shape.columns);
}

void require_one_shape(const Datasets& data) {
  const DataShape train = data.train->shape(), val = data.val->shape();
  const auto sides = [](const DataShape& shape) {
    return std::tuple(shape.channels, shape.rows, shape.columns);
  };
  if (sides(train) == sides(val)) return;
  throw BadData("data.val holds samples of " + text_of(val) + ", but data.train of " +
                text_of(train));
}

void require_one_family(const DataConfig& data) {
  if (family_of(data.train.format) == family_of(data.val.format)) return;
  throw std::invalid_argument("data.val.format " + data.val.format +
                              " gives samples of another kind than data.train.format " +
                              data.train.format);
}

}  // namespace

Datasets open_datasets(const Config& config, at::Device device) {
  require_one_family(config.data);
  Datasets data = open_family(config, device);
  require_one_shape(data);
  return data;
}

Datasets split(std::unique_ptr<Dataset> whole, const Config& config) {
  auto [train, val] = hold_out(std::move(whole), config.data.holdout, config.seed);
  return {std::move(train), std::move(val)};
}

std::string identity_of(const Datasets& data) {
  char text[40];
  std::snprintf(text, sizeof text, "train %08x val %08x", data.train->identity(),
                data.val->identity());
  return text;
}

}  // namespace lockstep
