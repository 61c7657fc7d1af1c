// Which optional kinds the API server serves, and lets this operator use.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "operator/kube/client.h"

namespace lockstep {

// The first of `kinds` that can be listed in that namespace ("": all of them); absent when none is
// served or permitted. Errors: those of the client, when the API server gave no answer to that.
Result<std::optional<Resource>> first_served(Client& client, std::span<const Resource> kinds,
                                             const std::string& namespace_, std::stop_token stop);

}  // namespace lockstep
