// What an answer of the API server means: the errors that it stands for.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/base/result.h"
#include "operator/kube/request.h"
#include "operator/kube/transport.h"

namespace lockstep {

// The error that an answer other than 2xx stands for. Its body may be a Status, or plain text from
// a proxy or from flow control. A missing permission is named in the words of RBAC.
Error error_of(const Request& request, const Response& response);

// The same for a Status object that arrived inside a watch.
Error error_of_status(const Request& request, const nlohmann::json& status);

}  // namespace lockstep
