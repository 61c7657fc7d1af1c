// Lists the tree once and remembers it.
#include "trainer/data/image_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "trainer/data/bytes.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 64;                                    // a link to its own parent goes on
constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;  // of one picture's file
constexpr std::array<std::string_view, 3> kEndings = {".jpg", ".jpeg", ".png"};

bool is_picture(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return name.ends_with(end); });
}

struct Listing {
  std::vector<std::string> folders, files;  // sorted
};

Listing listing_of(const fs::path& folder) {
  Listing listing;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      auto& names = entry.is_directory() ? listing.folders : listing.files;
      names.push_back(entry.path().filename().string());
    }
  } catch (const fs::filesystem_error& fault) {
    throw BadData(folder.string() + ": cannot list it: " + fault.code().message());
  }
  std::ranges::sort(listing.folders);
  std::ranges::sort(listing.files);
  return listing;
}

// The pictures of a folder and of those below it, by the path of each folder.
using Pictures = std::vector<std::pair<std::string, std::vector<std::string>>>;

void collect(const fs::path& root, const std::string& folder, int depth, Pictures& pictures) {
  if (depth > kDeepest) {
    throw BadData(fmt::format("{}: folders nested over {} deep: is a link its own parent?",
                              (root / folder).string(), kDeepest));
  }
  Listing listing = listing_of(root / folder);
  std::erase_if(listing.files, [](const std::string& name) { return !is_picture(name); });
  pictures.emplace_back(folder, std::move(listing.files));
  for (const std::string& below : listing.folders) {
    collect(root, folder + "/" + below, depth + 1, pictures);
  }
}

}  // namespace

ImageFolder::ImageFolder(const fs::path& root) : root_(root) {
  if (!fs::is_directory(root)) {
    throw BadData(root.string() +
                  ": is no folder here: name one that holds a folder for each class");
  }
  classes_ = listing_of(root).folders;
  if (classes_.empty()) {
    throw BadData(root.string() + ": holds no folders: each class needs one with its pictures");
  }
  std::vector<std::string> without;
  for (const std::string& name : classes_) {
    const std::int64_t before = size();
    list_class(name);
    labels_.resize(ends_.size(), static_cast<std::int32_t>(&name - classes_.data()));
    if (size() == before) without.push_back(name);
  }
  if (!without.empty()) {
    throw BadData(fmt::format("{}: no {} files for the class{} {}", root.string(),
                              fmt::join(kEndings, ", "), without.size() == 1 ? "" : "es",
                              fmt::join(without, ", ")));
  }
}

void ImageFolder::list_class(const std::string& name) {
  Pictures pictures;
  collect(root_, name, 0, pictures);
  std::ranges::sort(pictures);  // "a-b" comes before "a/b", as in torchvision
  for (const auto& [folder, files] : pictures) {
    for (const std::string& file : files) {
      names_ += folder + "/" + file;
      ends_.push_back(names_.size());
    }
  }
}

std::string_view ImageFolder::name(std::int64_t index) const {
  const std::uint64_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(names_).substr(begin, ends_[index] - begin);
}

Image ImageFolder::load(std::int64_t index, const DecodeLimits& limits) const {
  const fs::path file = path(index);
  const Bytes bytes = read_bytes(file, kMostBytes);
  try {
    return decode_image(bytes, limits);
  } catch (const BadData& fault) {
    throw BadData(file.string() + ": " + fault.what());
  }
}

std::uint32_t ImageFolder::identity() const {
  Identity identity;
  for (const std::string& name : classes_) identity.add(name);
  for (std::int64_t i = 0; i < size(); ++i) identity.add(name(i)).add(labels_[i]);
  return identity.value();
}

}  // namespace lockstep
