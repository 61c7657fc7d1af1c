// Runs kubectl.
#include "operator/plugin/kubectl.h"

#include "operator/base/text.h"
#include "operator/plugin/answer.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr Limits kPage{.bytes = 64 * 1024, .time = std::chrono::seconds(2), .at_once = 32};

Result<json> understood(const Ended& ended) {
  if (ended.code != 0) return tl::unexpected(parse_complaint(ended.err));
  json object = parse_printable(ended.out);
  if (object.is_object()) return object;
  return failure(Kind::kUnavailable, "kubectl's answer is no JSON object");
}

}  // namespace

std::string kubectl_name(const Resource& resource) {
  const std::string plural(resource.plural);
  return resource.group.empty() ? plural : plural + "." + std::string(resource.group);
}

Command Kubectl::command(const Arguments& arguments) const {
  Command command{program_};
  command.insert(command.end(), arguments.begin(), arguments.end());
  // After the arguments: a namespace among them is the object's own, the connection's comes first.
  command.insert(command.begin() + 1, connection_.begin(), connection_.end());
  return command;
}

Result<json> Kubectl::get(const Arguments& arguments) const {
  return std::move(get_all({arguments}).front());
}

std::vector<Result<json>> Kubectl::get_all(const std::vector<Arguments>& questions) const {
  std::vector<Command> commands;
  for (Arguments question : questions) {
    question.insert(question.begin(), "get");
    question.insert(question.end(), {"-o", "json"});
    commands.push_back(command(question));
  }
  std::vector<Result<json>> answers;
  for (const Ended& ended : run_all(commands)) answers.push_back(understood(ended));
  return answers;
}

Result<json> Kubectl::patch(const Resource& resource, const std::string& namespace_,
                            const std::string& name, const json& change) const {
  return understood(run(command({"patch", kubectl_name(resource), name, "--namespace=" + namespace_,
                                 "--type=merge", "--patch=" + change.dump(), "-o", "json"})));
}

std::vector<std::string> Kubectl::progress_pages(const std::vector<ObjectKey>& pods) const {
  std::vector<Command> commands;
  for (const ObjectKey& pod : pods) {
    commands.push_back(command({"get", "--raw",
                                "/api/v1/namespaces/" + pod.namespace_ + "/pods/" + pod.name + ":" +
                                    std::to_string(contract::kProgressPort) + "/proxy/progress"}));
  }
  std::vector<std::string> pages;
  for (Ended& ended : run_all(commands, kPage)) {
    pages.push_back(ended.code == 0 ? std::move(ended.out) : "");
  }
  return pages;
}

std::string Kubectl::current_namespace() const {
  constexpr std::string_view kFlag = "--namespace=";
  for (const std::string& flag : connection_) {
    if (flag.starts_with(kFlag)) return flag.substr(kFlag.size());
  }
  const Ended ended = run(command({"config", "view", "--minify", "-o", "jsonpath={..namespace}"}));
  return ended.code == 0 && !ended.out.empty() ? printable(ended.out) : "default";
}

}  // namespace lockstep
