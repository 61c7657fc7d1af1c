// A folder of pictures, one folder for each class: root/<class>/**.{jpg,jpeg,png}.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/data/image.h"

namespace lockstep {

// Which files there are; pictures are read one at a time. Samples and labels are numbered as by
// torchvision.datasets.ImageFolder: classes in the order of their names, a class's folders in the
// order of their paths, in each the files in the order of their names, all compared byte by byte;
// endings in any case; links are followed. Flat arrays: a million files take their names' bytes.
class ImageFolder {
 public:
  // Lists the folder. Throws BadData: no such folder, no class in it, a class without pictures
  // (they are named), a folder that cannot be listed, folders nested without end.
  explicit ImageFolder(const std::filesystem::path& root);

  std::int64_t size() const { return static_cast<std::int64_t>(labels_.size()); }
  const std::vector<std::string>& classes() const { return classes_; }
  std::int32_t label(std::int64_t index) const { return labels_[index]; }  // in [0, classes)
  std::filesystem::path path(std::int64_t index) const { return root_ / name(index); }

  // Reads and decodes a sample. Throws BadData "<path>: ...". Thread-safe.
  Image load(std::int64_t index, const DecodeLimits& limits = {}) const;

  // CRC-32 over classes, paths below the root and labels. Not over the pictures, which are not
  // read.
  std::uint32_t identity() const;

 private:
  void list_class(const std::string& name);
  std::string_view name(std::int64_t index) const;  // below the root

  std::filesystem::path root_;
  std::vector<std::string> classes_;
  std::string names_;                // one after another
  std::vector<std::uint64_t> ends_;  // of each in names_
  std::vector<std::int32_t> labels_;
};

}  // namespace lockstep
