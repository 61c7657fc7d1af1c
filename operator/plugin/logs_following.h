// kubectl lockstep logs -f.
#pragma once

#include "operator/plugin/commands.h"
#include "operator/plugin/logs.h"

namespace lockstep {

struct LogLook {
  TrainingJob job;
  Result<LogSource> source;
};

Result<LogLook> look_for_logs(const Session& session, const LogRequest& request);

// Standard error: the lines on standard output are the job's own.
void say(const std::string& sentence);

// Prints until the job has finished, or the attempt that was asked for is over. Errors: those of
// the first look, and later ones that do not pass.
Result<int> follow_logs(const Session& session);

}  // namespace lockstep
