// The table, the JSON and the exit code of some findings.
#include "trainer/doctor/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "trainer/contract.h"

namespace lockstep {
namespace {

std::vector<Finding> some() {
  return {ok("clock", "2026-03-01"), warning("threads", "64 on 4 CPUs", "Set it."),
          bad("free space", "1 MiB", "Free some.", contract::kExitStorage)};
}

TEST(Report, HasALineForEachFindingAndOneForItsAdvice) {
  EXPECT_EQ(report_of(some()),
            "ok       clock           2026-03-01\n"
            "warning  threads         64 on 4 CPUs\n"
            "                         -> Set it.\n"
            "BAD      free space      1 MiB\n"
            "                         -> Free some.\n"
            "1 check is bad, 1 warning: exit code 74\n");
}

TEST(Report, SaysThatNothingIsBad) {
  EXPECT_EQ(report_of({ok("clock", "x")}),
            "ok       clock           x\nnothing is bad, 0 warnings\n");
}

TEST(Report, IsJsonForMachines) {
  const auto document = nlohmann::json::parse(json_of(some()));
  EXPECT_EQ(document["exit_code"], 74);
  EXPECT_EQ(document["findings"].size(), 3U);
  EXPECT_EQ(document["findings"][2], (nlohmann::json{{"mark", "bad"},
                                                     {"check", "free space"},
                                                     {"found", "1 MiB"},
                                                     {"advice", "Free some."},
                                                     {"exit_code", 74}}));
  EXPECT_FALSE(document["findings"][0].contains("advice"));
}

TEST(Report, IsJsonWhateverBytesAPathHas) {
  EXPECT_FALSE(nlohmann::json::parse(json_of({ok("x", "\xff")})).empty());
}

TEST(ExitCode, IsThatOfTheWorstFinding) {
  struct Case {
    std::vector<int> codes;
    int worst;
  };
  for (const Case& each : {Case{{}, 0}, Case{{74}, 74}, Case{{75, 74}, 74}, Case{{74, 65}, 65},
                           Case{{65, 64, 74}, 64}, Case{{75}, 75}, Case{{75, 70}, 70}}) {
    std::vector<Finding> findings = {ok("a", "b"), warning("a", "b", "c")};
    for (const int code : each.codes) findings.push_back(bad("a", "b", "c", code));
    EXPECT_EQ(exit_code_of(findings), each.worst);
  }
}

TEST(SizeText, IsWhatPeopleWrite) {
  EXPECT_EQ(size_text(0), "0 bytes");
  EXPECT_EQ(size_text(64 << 20), "64 MiB");
  EXPECT_EQ(size_text(std::uint64_t{3} << 29), "1.5 GiB");
}

}  // namespace
}  // namespace lockstep
