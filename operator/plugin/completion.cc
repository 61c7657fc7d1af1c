// Candidates and scripts.
#include "operator/plugin/completion.h"

#include <algorithm>
#include <string_view>

#include "operator/api/resources.h"
#include "operator/plugin/command_line.h"
#include "operator/plugin/kubectl.h"

namespace lockstep {
namespace {

constexpr std::string_view kBash =
    R"shell(# Completion of kubectl-lockstep for bash:  source <(kubectl-lockstep completion bash)
_kubectl_lockstep() {
  COMPREPLY=()
  while IFS= read -r word; do
    case "$word" in :*) ;; *) COMPREPLY+=("$word") ;; esac
  done < <(kubectl-lockstep __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _kubectl_lockstep kubectl-lockstep
)shell";

constexpr std::string_view kZsh = R"shell(#compdef kubectl-lockstep
# Completion of kubectl-lockstep for zsh:  source <(kubectl-lockstep completion zsh)
_kubectl_lockstep() {
  local -a candidates
  candidates=(${(f)"$(kubectl-lockstep __complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -- ${candidates:#:*}
}
compdef _kubectl_lockstep kubectl-lockstep
)shell";

constexpr std::string_view kFish =
    R"shell(# Completion of kubectl-lockstep for fish:  kubectl-lockstep completion fish | source
function __kubectl_lockstep
    kubectl-lockstep __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null | string match -v ':*'
end
complete -c kubectl-lockstep -f -a '(__kubectl_lockstep)'
)shell";

std::vector<std::string> beginning_with(const std::vector<std::string>& all,
                                        const std::string& prefix) {
  std::vector<std::string> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const std::string& word) { return word.starts_with(prefix); });
  return found;
}

// The flags of the line that say which cluster and namespace.
std::vector<std::string> connection(const std::vector<std::string>& words) {
  std::vector<std::string> flags;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (!takes_value(name)) continue;
    const std::vector<std::string> ours = {"-n",        "--namespace", "--context", "--kubeconfig",
                                           "--cluster", "--user",      "--as"};
    const bool is_one = std::find(ours.begin(), ours.end(), name) != ours.end();
    if (is_one) flags.push_back(words[i]);
    if (name != words[i]) continue;  // the value stands in the same word
    if (++i + 1 < words.size() && is_one) flags.push_back(words[i]);
  }
  return flags;
}

// The words that are neither flags nor their values, without the one being typed.
std::vector<std::string> plain_words(const std::vector<std::string>& words) {
  std::vector<std::string> plain;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (!words[i].starts_with('-')) {
      plain.push_back(words[i]);
    } else if (words[i].find('=') == std::string::npos && takes_value(words[i])) {
      ++i;
    }
  }
  return plain;
}

std::vector<std::string> lister(const std::string& flag) {
  if (flag == "-n" || flag == "--namespace") return {"get", "namespaces", "-o", "name"};
  if (flag == "--context") return {"config", "get-contexts", "-o", "name"};
  if (flag == "--cluster") return {"config", "get-clusters"};
  if (flag == "--user") return {"config", "get-users"};
  return {};
}

}  // namespace

Candidates complete(const std::vector<std::string>& words) {
  const std::string typed = words.empty() ? "" : words.back();
  const std::string before = words.size() < 2 ? "" : words[words.size() - 2];
  if (before.starts_with('-') && takes_value(before)) return {{}, lister(before)};
  const std::vector<std::string> plain = plain_words(words);
  if (typed.starts_with('-')) {
    return {beginning_with(flag_names(plain.empty() ? "" : plain.front()), typed), {}};
  }
  if (plain.empty()) return {beginning_with(command_names(), typed), {}};
  if (plain.front() == "completion" && plain.size() == 1) {
    return {beginning_with({"bash", "zsh", "fish"}, typed), {}};
  }
  if (!takes_job(plain.front()) || plain.size() > 1) return {};
  Candidates candidates;
  candidates.kubectl = connection(words);
  for (const std::string& word :
       {std::string("get"), kubectl_name(kTrainingJobs), std::string("-o"), std::string("name")}) {
    candidates.kubectl.push_back(word);
  }
  return candidates;
}

std::vector<std::string> named(const std::string& lines, const std::string& prefix) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const std::string line = lines.substr(at, end - at);
    // A context may have a slash of its own.
    const bool has_kind = line.starts_with("namespace/") || line.starts_with("trainingjob.");
    const std::string name = has_kind ? line.substr(line.find('/') + 1) : line;
    if (!name.empty() && name != "NAME" && name.starts_with(prefix)) names.push_back(name);
    at = end + 1;
  }
  return names;
}

std::string completion_script(const std::string& shell) {
  return std::string(shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish);
}

}  // namespace lockstep
