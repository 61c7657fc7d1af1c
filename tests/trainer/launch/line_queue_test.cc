// Lines between the launcher and the thread that writes them.
#include "trainer/launch/line_queue.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using Batch = LineQueue::Batch;

TEST(LineQueue, HandsOnWholeLinesByRank) {
  LineQueue queue(1000);
  queue.push(3, "a");
  queue.push(4, "");
  queue.push(3, "b");
  EXPECT_EQ(queue.take(), (Batch{{3, "a\nb\n"}, {4, "\n"}}));
  queue.close();
  EXPECT_EQ(queue.take(), std::nullopt);
}

TEST(LineQueue, SaysWhereAndHowManyItDropped) {
  LineQueue queue(10);
  queue.push(0, "12345678");
  for (int i = 0; i < 3; ++i) queue.push(0, "dropped");
  EXPECT_EQ(queue.take(), (Batch{{0, "12345678\n"}}));
  queue.push(0, "dropped");  // what was taken is not written yet
  queue.close();
  EXPECT_EQ(queue.take(), (Batch{{0,
                                  "[launch] lines missing here: 4; they came faster than this file "
                                  "could be written\n"}}));
}

TEST(LineQueue, HasRoomAgainWhenABatchIsWritten) {
  LineQueue queue(20);
  queue.push(0, "123456789012345");
  queue.take();
  queue.push(0, "dropped");
  queue.push(1, "");
  queue.take();  // asking for the next batch means that the one before is written
  queue.push(0, "kept");
  EXPECT_EQ(queue.take(), (Batch{{0,
                                  "[launch] lines missing here: 1; they came faster than this file "
                                  "could be written\nkept\n"}}));
}

}  // namespace
}  // namespace lockstep
