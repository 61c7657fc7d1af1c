// The commands: what each reads through kubectl, and where its text goes.
#pragma once

#include "operator/plugin/command_line.h"
#include "operator/plugin/kubectl.h"
#include "operator/plugin/table.h"

namespace lockstep {

struct Session {
  const Kubectl& kubectl;
  const CommandLine& line;
  Paint paint;
  bool is_terminal = false;  // standard output is one
};

inline constexpr int kFine = 0;
inline constexpr int kFault = 1;
inline constexpr int kUnreachable = 69;
inline constexpr int kNotPermitted = 77;

// For errors of Kubectl.
int exit_code(const Error& error);

// Each prints to standard output and returns its exit code.
Result<int> list(const Session& session);
Result<int> describe(const Session& session);
Result<int> logs(const Session& session);
Result<int> top(const Session& session);
Result<int> suspend(const Session& session);
Result<int> resume(const Session& session);
Result<int> restart(const Session& session);
Result<int> doctor(const Session& session);
Result<int> completion(const Session& session);
Result<int> complete(const Session& session);

// What several of them read. An unknown job's error names the nearest that exists.
Result<nlohmann::json> read_job(const Session& session);
Arguments pods_question(const std::string& namespace_, const std::string& job);
Result<nlohmann::json> set_suspend(const Session& session, const ObjectMeta& job, bool suspend);
std::vector<nlohmann::json> items(const Result<nlohmann::json>& list);
Time now();

}  // namespace lockstep
