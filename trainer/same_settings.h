// Whether a checkpoint may be resumed under the settings of this run.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/config/config.h"
#include "trainer/state/checkpoint_directory.h"

namespace lockstep {

// What must be equal for a resume: the settings that shape the state, the data's identity, and the
// number of steps in an epoch, which tells what a step number means.
Settings settings_to_resume(const Config& config, const std::string& data_identity,
                            std::int64_t steps_per_epoch);

// Throws std::invalid_argument, naming the settings, when `checkpoint`, found in `directory`, was
// written under other ones. A setting that it does not know counts as its default.
void require_same_settings(const Checkpoint& checkpoint, const Settings& settings,
                           const std::string& directory);

}  // namespace lockstep
