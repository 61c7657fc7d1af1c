// Reads kubeconfig files.
#pragma once

#include <string>
#include <vector>

#include "operator/kube/credentials.h"

namespace lockstep {

// Merges the files as kubectl does: the first file that defines a cluster, user, context or the
// current context wins, missing files are skipped. `context` empty: the current context.
// Errors: kInvalid, one sentence.
Result<Credentials> load_kubeconfig(const std::vector<std::string>& files,
                                    const std::string& context, const Clock& clock);

// The whole of a small file (at most 1 MiB). Errors: kInvalid.
Result<std::string> read_small_file(const std::string& path);

// A token file: trimmed, and never empty. Errors: kInvalid.
Result<std::string> read_token_file(const std::string& path);

}  // namespace lockstep
