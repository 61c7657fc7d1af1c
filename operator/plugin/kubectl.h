// The cluster, through the user's own kubectl: so every kubeconfig, credential plugin and proxy
// that works there works here.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "operator/api/meta.h"
#include "operator/api/resources.h"
#include "operator/base/result.h"
#include "operator/plugin/child.h"

namespace lockstep {

using Arguments = std::vector<std::string>;

// Every object is printable: see answer.h. Errors: those of parse_complaint.
class Kubectl {
 public:
  // `connection`: flags for every call, such as --context=x.
  Kubectl(std::string program, Arguments connection)
      : program_(std::move(program)), connection_(std::move(connection)) {}

  // kubectl get ARGUMENTS -o json
  Result<nlohmann::json> get(const Arguments& arguments) const;
  // The same for several questions, side by side.
  std::vector<Result<nlohmann::json>> get_all(const std::vector<Arguments>& questions) const;

  Result<nlohmann::json> patch(const Resource& resource, const std::string& namespace_,
                               const std::string& name, const nlohmann::json& change) const;

  // What each pod's progress page says, through the API server; "" where it says nothing within two
  // seconds and 64 KiB. They are asked side by side, 32 at once. Not yet made safe.
  std::vector<std::string> progress_pages(const std::vector<ObjectKey>& pods) const;

  // The namespace of the connection's flags, else of the context.
  std::string current_namespace() const;

  // kubectl with these arguments and the connection's flags.
  Command command(const Arguments& arguments) const;

 private:
  std::string program_;
  Arguments connection_;
};

// "trainingjobs.lockstep.dev", as kubectl calls a kind.
std::string kubectl_name(const Resource& resource);

}  // namespace lockstep
