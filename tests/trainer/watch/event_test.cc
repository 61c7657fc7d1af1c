// The bytes of event files against those of TensorBoard's own writer.
#include "trainer/watch/event.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/temporary_directory.h"
#include "trainer/watch/crc32c.h"

namespace lockstep {
namespace {

// RFC 3720 appendix B.4, and the check value of every catalogue of checksums.
TEST(Crc32c, HasTheValuesOfItsDefinition) {
  std::string ascending;
  for (int byte = 0; byte < 32; ++byte) ascending += static_cast<char>(byte);
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c(ascending), 0x46dd794eu);
}

// The values are those of golden/make_event_goldens.py.
TEST(EventRecords, AreTheBytesOfTensorBoardsWriter) {
  constexpr double kTime = 1700000000.25;
  const std::string long_tag(200, 't');
  const struct {
    std::int64_t step;
    std::vector<Scalar> scalars;
  } cases[] = {{0, {{"train_loss_iteration", 2.5F}}},
               {127, {{"train_loss_iteration", 0.0F}, {"learning_rate", 0.1F}}},
               {128, {{"val_top1_acc_epoch", 98.75F}}},
               {16384, {}},
               {(std::int64_t{1} << 40) + 3, {{long_tag, -1e30F}, {"größe", 1e-40F}}}};
  std::string file = version_record(kTime) + start_record(kTime, 121);
  for (const auto& [step, scalars] : cases) file += scalars_record(kTime, step, scalars);
  EXPECT_EQ(file,
            testing::content_of(std::string(GOLDEN_DIR) + "/written_by_tensorboard.tfevents"));
}

}  // namespace
}  // namespace lockstep
