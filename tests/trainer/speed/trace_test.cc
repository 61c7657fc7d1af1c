// Traces of this very process.
#include "trainer/speed/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/support/temporary_directory.h"
#include "trainer/speed/span.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class Traces : public ::testing::Test {
 protected:
  // Steps [1, last], each with one product of matrices; what was printed.
  std::string train(Tracer& tracer, std::int64_t last) {
    ::testing::internal::CaptureStdout();
    for (std::int64_t step = 0; step < last; ++step) {
      tracer.between_steps(step);
      const Span span("step", step + 1);
      at::addmm(at::ones({2}), at::ones({2, 2}), at::ones({2, 2}));
    }
    return ::testing::internal::GetCapturedStdout();
  }

  std::set<std::string> names() const {
    std::set<std::string> names;
    const auto trace = nlohmann::json::parse(testing::content_of(file_));
    for (const auto& event : trace["traceEvents"]) names.insert(event.value("name", ""));
    return names;
  }

  testing::TemporaryDirectory folder_;
  const fs::path directory_ = folder_ / "logs" / "metrics";
  const fs::path file_ = directory_ / "trace-rank-3.json";
};

TEST_F(Traces, HoldTheStepsThatWereAskedForAndTheirOperators) {
  Tracer tracer({.profile_at = 4, .profile_steps = 2}, directory_, 3, at::kCPU);
  EXPECT_EQ(train(tracer, 10), "trace from step 4 on: " + file_.string() + "\n");
  EXPECT_THAT(names(), AllOf(Contains("step 4"), Contains("step 5"), Contains("aten::addmm"),
                             Not(Contains("step 3")), Not(Contains("step 6"))));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 1) << "nothing else is left";
}

TEST_F(Traces, EndWithTheRun) {
  {
    Tracer tracer({.profile_at = 2, .profile_steps = 1000}, directory_, 3, at::kCPU);
    train(tracer, 5);
  }
  EXPECT_THAT(names(), AllOf(Contains("step 2"), Contains("step 5")));
}

TEST_F(Traces, AreMadeWhenASignalAsksAgainAndAgain) {
  note_trace_requests();
  Tracer tracer({.profile_steps = 1}, directory_, 3, at::kCPU);
  EXPECT_EQ(train(tracer, 3), "");
  EXPECT_FALSE(fs::exists(file_));
  for (int time = 0; time < 2; ++time) {
    raise(SIGUSR2);
    EXPECT_THAT(train(tracer, 3), HasSubstr("trace from step 1 on"));
    EXPECT_THAT(names(), AllOf(Contains("step 1"), Not(Contains("step 2"))));
    fs::remove(file_);
  }
}

TEST_F(Traces, SayOnceThatThereIsNoPlaceForThem) {
  note_trace_requests();
  Tracer tracer({.profile_at = 1}, "", 3, at::kCPU);
  EXPECT_EQ(
      train(tracer, 3),
      "warning: no trace: set log.directory or checkpoint.directory, where it is to be written\n");
  raise(SIGUSR2);
  EXPECT_EQ(train(tracer, 3), "");
}

TEST_F(Traces, EndNoTrainingWhenTheyCannotBeWritten) {
  Tracer tracer({.profile_at = 1, .profile_steps = 1}, "/proc/no/such", 3, at::kCPU);
  EXPECT_THAT(train(tracer, 3),
              HasSubstr("warning: cannot write the trace /proc/no/such/trace-rank-3.json: "));
}

}  // namespace
}  // namespace lockstep
