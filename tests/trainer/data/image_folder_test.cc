// Folders of pictures: torchvision's order, and what is refused.
#include "trainer/data/image_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trainer/data/faults.h"
#include "tests/trainer/data/golden.h"
#include "tests/trainer/data/pictures.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using testing::fault_of;
using testing::set_content;
using testing::TemporaryDirectory;

void add(const TemporaryDirectory& root, const std::string& file, const std::string& content = "") {
  fs::create_directories((root / file).parent_path());
  set_content(root / file, content);
}

TEST(ImageFolder, TakesClassesAndFilesInTorchvisionsOrder) {
  for (const auto& golden : testing::golden_cases("image_folder.json")) {
    TemporaryDirectory root;
    for (const std::string file : golden["files"]) add(root, file);
    const ImageFolder folder(root.path());
    EXPECT_EQ(folder.classes(), golden["classes"].get<std::vector<std::string>>());
    ASSERT_EQ(folder.size(), static_cast<std::int64_t>(golden["samples"].size()));
    for (std::int64_t i = 0; i < folder.size(); ++i) {
      EXPECT_EQ(folder.path(i), root / golden["samples"][i][0].get<std::string>());
      EXPECT_EQ(folder.label(i), golden["samples"][i][1].get<int>());
    }
  }
}

TEST(ImageFolder, ReadsThePictures) {
  TemporaryDirectory root;
  add(root, "first/a.png", testing::content_of(testing::kPictures + "rgb.png"));
  add(root, "second/deeper/b.jpg", testing::content_of(testing::kPictures + "grey.jpg"));
  const ImageFolder folder(root.path());
  EXPECT_EQ(folder.load(0), testing::golden_image("rgb.png"));
  EXPECT_EQ(folder.load(1), testing::golden_image("grey.jpg"));
}

TEST(ImageFolder, NamesThePictureThatItCannotRead) {
  TemporaryDirectory root;
  add(root, "class/a.png", "GIF89a");
  add(root, "class/b.png", testing::content_of(testing::kPictures + "rgb.png"));
  add(root, "class/c.png");
  const ImageFolder folder(root.path());
  const std::string at = root.path().string() + "/class/";
  EXPECT_EQ(fault_of([&] { folder.load(0); }),
            at + "a.png: neither a JPEG nor a PNG image: it begins with other bytes");
  EXPECT_EQ(fault_of([&] { folder.load(1, {.pixels = 9}); }),
            at + "b.png: the PNG header says 43 x 29 pixels, more than the 9 allowed");
  EXPECT_EQ(fault_of([&] { folder.load(2); }), at + "c.png: the image file is empty");
  fs::remove(root / "class/b.png");
  EXPECT_EQ(fault_of([&] { folder.load(1); }),
            at + "b.png: cannot open it: No such file or directory");
}

TEST(ImageFolder, SaysWhatIsMissing) {
  TemporaryDirectory root;
  const std::string at = root.path().string();
  const auto scan = [](const fs::path& path) { return [path] { ImageFolder folder(path); }; };
  EXPECT_EQ(fault_of(scan(root / "none")),
            at + "/none: is no folder here: name one that holds a folder for each class");
  add(root, "picture.png");
  EXPECT_EQ(fault_of(scan(root.path())),
            at + ": holds no folders: each class needs one with its pictures");
  add(root, "full/a.png");
  EXPECT_EQ(fault_of(scan(root.path())), "accepted");
  add(root, "bare/a.bmp");
  EXPECT_EQ(fault_of(scan(root.path())), at + ": no .jpg, .jpeg, .png files for the class bare");
  fs::create_directory(root / "also bare");
  EXPECT_EQ(fault_of(scan(root.path())),
            at + ": no .jpg, .jpeg, .png files for the classes also bare, bare");
}

TEST(ImageFolder, FollowsLinksButNotWithoutEnd) {
  TemporaryDirectory root, elsewhere;
  add(elsewhere, "a.png");
  fs::create_directory(root / "class");
  fs::create_symlink(elsewhere.path(), root / "class" / "link");
  EXPECT_EQ(ImageFolder(root.path()).path(0), root / "class" / "link" / "a.png");
  fs::create_symlink("..", root / "class" / "up");
  EXPECT_THAT(fault_of([&] { ImageFolder folder(root.path()); }),
              ::testing::AnyOf(::testing::HasSubstr("is a link its own parent?"),
                               ::testing::HasSubstr("Too many levels of symbolic links")));
}

TEST(ImageFolder, HasAnIdentityThatFollowsNamesAndLabels) {
  TemporaryDirectory one, same, other;
  for (const auto* root : {&one, &same}) {
    add(*root, "x/a.png");
    add(*root, "y/b.png");
  }
  add(other, "x/a.png");
  add(other, "x/b.png");
  EXPECT_EQ(ImageFolder(one.path()).identity(), ImageFolder(same.path()).identity());
  EXPECT_NE(ImageFolder(one.path()).identity(), ImageFolder(other.path()).identity());
}

}  // namespace
}  // namespace lockstep
