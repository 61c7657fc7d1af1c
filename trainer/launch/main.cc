// lockstep-launch: one process per local rank of this node, as process 1 of a pod or by hand.
#include <unistd.h>

#include <exception>
#include <iostream>
#include <stdexcept>

#include "trainer/contract.h"
#include "trainer/launch/prepare.h"
#include "trainer/launch/restarts.h"
#include "trainer/launch/signals.h"
#include "trainer/launch/termination_message.h"

namespace {

using namespace lockstep;

// Ranks of other nodes, and their launchers, need a moment to see that a rank of this one has gone;
// a new rank that came earlier would meet the old ones.
constexpr Seconds kUntilPeersNotice{3};

Environment process_environment() {
  Environment environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (const std::size_t equals = text.find('='); equals != std::string::npos) {
      environment[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  return environment;
}

int run(const std::vector<std::string>& arguments) {
  const Options options = parse_options(arguments);
  if (!options.answer.empty()) {
    std::cout << options.answer;
    return contract::kExitFinished;
  }
  const Node node = prepare(process_environment(), options);
  const Outcome outcome =
      launch_repeatedly([&](int restart) { return spec_of(node, restart); }, node.plan.max_restarts,
                        node.plan.nodes > 1 ? kUntilPeersNotice : Seconds(0));
  const std::string words = outcome.verdict.culprit
                                ? termination_message(*outcome.verdict.culprit, outcome.last_lines)
                                : outcome.progress;
  if (!words.empty()) {
    const auto named = lookup(node.environment, contract::kTerminationLog);
    write_termination_message(named.value_or(contract::kDefaultTerminationLog), words,
                              /*may_create=*/named.has_value());
  }
  return outcome.verdict.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  lockstep::hold_signals();
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::invalid_argument& error) {
    std::cerr << "lockstep-launch: " << error.what() << "\n";
    return contract::kExitUsage;
  } catch (const std::exception& error) {
    std::cerr << "lockstep-launch: " << error.what() << "\n";
    return contract::kExitInternal;
  }
}
