// What a dry run tells, and that it leaves a directory as it was.
#include "trainer/dry_run.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/temporary_directory.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

const Plan kPlan{.epochs = 2,
                 .total_steps = 938,
                 .batch_size = 128,
                 .batch_size_per_rank = 16,
                 .accumulate = 4,
                 .lengths = {{.steps_per_epoch = 469}}};

TEST(DryRun, TellsWhatARunWillBe) {
  const Rehearsal seen{.parameters = 61750,
                       .ranks = 2,
                       .memory = 300 * 1048576.0,
                       .first_step = 0.25,
                       .step = 0.02,
                       .evaluation_batch = 0.05,
                       .evaluation_batches = 10,
                       .save = 0.0125,
                       .checkpoint_size = 497 * 1024.0};
  EXPECT_EQ(summary(seen, kPlan),
            "dry run: all is well, nothing was kept\n"
            "parameters 61.8k, memory 300 MiB\n"
            "steps: 938 in 2 epochs, 469 in the first; batch 128, of a rank 16 x 4\n"
            "first step 250.0 ms, a later one 20.0 ms\n"
            "evaluation batch 50.0 ms\n"
            "checkpoint: 497 KiB, saved in 12.5 ms and removed\n"
            "expected: about 18.8 s for 938 steps, and about 0.2 s for each evaluation");
}

TEST(DryRun, TellsWhereARunGoesOnAndWhatIsMissing) {
  const Rehearsal seen{.parameters = 1, .resumed_from = 937, .first_step = 130};
  const std::string text = summary(seen, kPlan);
  EXPECT_NE(text.find("a run goes on from step 937\nfirst step 130000.0 ms\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("checkpoint: none, since checkpoint.directory is not set\n"),
            std::string::npos);
  EXPECT_NE(text.find("expected: about 2m10s for 1 steps"), std::string::npos) << text;
  const std::string done = summary({.resumed_from = 938}, kPlan);
  EXPECT_NE(done.find("steps: none is left to train\n"), std::string::npos) << done;
}

class Rehearsing : public ::testing::Test {
 protected:
  // Every file below the folder with its content.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      files[entry.path().string()] = entry.is_directory() ? "" : testing::content_of(entry.path());
    }
    return files;
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(Rehearsing, LeavesADirectoryAsItWas) {
  const fs::path step = folder_ / "step-6";
  fs::create_directory(step);
  testing::set_content(step / "MANIFEST", "whole");
  testing::set_content(folder_ / "LATEST", "step-6\n");
  const auto before = files();
  {
    const RehearsalDirectory rehearsal(folder_.path());
    EXPECT_EQ(rehearsal.path().parent_path(), folder_.path()) << "on the same storage";
    EXPECT_EQ(testing::content_of(rehearsal.path() / "step-6" / "MANIFEST"), "whole");
    EXPECT_FALSE(fs::exists(rehearsal.path() / "LATEST"));
    testing::set_content(rehearsal.path() / "OWNER", "me");
    fs::rename(rehearsal.path() / "step-6", rehearsal.path() / ".step-6.removed");
    fs::remove_all(rehearsal.path() / ".step-6.removed");  // as the writer does
  }
  EXPECT_EQ(files(), before);
}

TEST_F(Rehearsing, LeavesNoDirectoryThatWasNotThere) {
  { const RehearsalDirectory rehearsal(folder_ / "new/er"); }
  EXPECT_TRUE(files().empty());
}

TEST_F(Rehearsing, LeavesWhatAnotherRunBeganMeanwhile) {
  {
    const RehearsalDirectory rehearsal(folder_ / "new");
    testing::set_content(folder_ / "new" / "OWNER", "another");
  }
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(Rehearsing, SaysWhenTheStorageRefuses) {
  EXPECT_THROW(RehearsalDirectory("/proc/checkpoints"), StorageError);
}

}  // namespace
}  // namespace lockstep
