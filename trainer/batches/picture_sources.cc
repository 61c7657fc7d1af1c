// Folders of pictures, and CIFAR's archives.
#include "trainer/batches/picture_set.h"
#include "trainer/batches/sources.h"
#include "trainer/data/cifar_reader.h"
#include "trainer/data/image_folder.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

std::int64_t class_count(const Config& config, std::size_t found) {
  const auto classes = static_cast<std::int64_t>(found);
  const std::int64_t asked = config.model.num_classes;
  if (asked == 0 || classes <= asked) return std::max(asked, classes);
  throw BadData("data.train holds " + std::to_string(classes) +
                " classes, but model.num_classes is " + std::to_string(asked));
}

std::unique_ptr<Dataset> opened(const ImageFolder& folder, std::int64_t classes,
                                const DataConfig& data) {
  std::vector<std::int32_t> labels;
  for (std::int64_t index = 0; index < folder.size(); ++index) {
    labels.push_back(folder.label(index));
  }
  return std::make_unique<PictureSet>([folder](std::int64_t index) { return folder.load(index); },
                                      std::move(labels), classes, folder.identity(), data);
}

std::unique_ptr<Dataset> opened_cifar(const SourceConfig& source, bool is_training,
                                      const Config& config) {
  const bool has_ten = source.format == "cifar10";
  const CifarKind kind = has_ten ? CifarKind::kCifar10 : CifarKind::kCifar100;
  const auto set =
      std::make_shared<CifarDataset>(read_cifar(kind, cifar_files(kind, source.path, is_training)));
  return std::make_unique<PictureSet>(
      [set](std::int64_t index) { return set->image(index); },
      std::vector<std::int32_t>(set->labels.begin(), set->labels.end()),
      class_count(config, has_ten ? 10 : 100), set->identity(), config.data);
}

}  // namespace

Datasets open_pictures(const Config& config) {
  const DataConfig& data = config.data;
  if (data.train.format != "folder") {
    return {opened_cifar(data.train, true, config), opened_cifar(data.val, false, config)};
  }
  const ImageFolder train(data.train.path);
  const std::int64_t classes = class_count(config, train.classes().size());
  auto pictures = opened(train, classes, data);
  if (data.val.path.empty()) return split(std::move(pictures), config);
  const ImageFolder val(data.val.path);
  if (val.classes() != train.classes()) {
    throw BadData("data.val.path " + data.val.path + " has other class folders than " +
                  data.train.path);
  }
  return {std::move(pictures), opened(val, classes, data)};
}

}  // namespace lockstep
