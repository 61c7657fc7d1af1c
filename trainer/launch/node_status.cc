// Folds the ranks of a node; see node_status.h.
#include "trainer/launch/node_status.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <tuple>

#include "trainer/contract.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;
using Ranks = std::vector<RankStatus>;

Json number(const FieldRule& rule, double value) {
  return rule.is_whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

double in_milliseconds(double seconds) { return std::round(seconds * 1000) / 1000; }

// The dead are not silent.
std::optional<double> current_silence(const RankStatus& rank) {
  return rank.is_running ? rank.silent_seconds : std::nullopt;
}

// One that has said something and is expected to go on.
bool is_advancing(const RankStatus& rank) {
  return current_silence(rank) && rank.report.phase != "done";
}

// The lowest rank that reports speaks for all.
const RankStatus* speaker(const Ranks& ranks) {
  const auto found = std::find_if(ranks.begin(), ranks.end(),
                                  [](const RankStatus& rank) { return rank.silent_seconds; });
  return found == ranks.end() ? nullptr : &*found;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json said(const RankStatus& rank) {
  Json json = {{"rank", rank.rank}};
  if (!rank.report.phase.empty()) json["phase"] = rank.report.phase;
  for (const FieldRule& rule : kFieldRules) {
    if (const auto& value = rank.report[rule.field]) json[rule.name] = number(rule, *value);
  }
  return json;
}

Json place(const RankStatus& rank) {
  Json json = {{"rank", rank.rank}, {"running", rank.is_running}};
  if (!rank.report.phase.empty()) json["phase"] = rank.report.phase;
  for (const Field field : {Field::kEpoch, Field::kStep}) {
    const FieldRule& rule = kFieldRules[static_cast<int>(field)];
    if (const auto& value = rank.report[field]) json[rule.name] = number(rule, *value);
  }
  if (const auto seconds = current_silence(rank)) {
    json["secondsSinceProgress"] = in_milliseconds(*seconds);
  }
  if (rank.is_stopped) json["stopped"] = true;
  if (rank.lines.rejected > 0) json["rejected"] = rank.lines.rejected;
  return json;
}

// One metric in Prometheus' text format.
class Metric {
 public:
  Metric(const char* name, const char* type, const char* help)
      : name_("lockstep_rank_" + std::string(name)),
        header_("# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type + "\n") {}

  void add(const RankStatus& rank, double value, const std::string& label = "") {
    samples_ += name_ + "{rank=\"" + std::to_string(rank.rank) + "\"" + label + "} ";
    samples_ += Json(value).dump() + "\n";
  }

  std::string text() const { return samples_.empty() ? "" : header_ + samples_; }

 private:
  std::string name_, header_, samples_;
};

// A line for each rank that has a value.
std::string gauge(const Ranks& ranks, const char* name, const char* help,
                  const std::function<std::optional<double>(const RankStatus&)>& value_of) {
  Metric metric(name, "gauge", help);
  for (const RankStatus& rank : ranks) {
    if (const auto value = value_of(rank)) metric.add(rank, *value);
  }
  return metric.text();
}

std::string phase_gauge(const Ranks& ranks) {
  Metric metric("phase", "gauge", "1 for the phase that the rank is in.");
  for (const RankStatus& rank : ranks) {
    const std::string& phase = rank.report.phase;
    if (!phase.empty()) metric.add(rank, 1, ",phase=\"" + phase + "\"");
  }
  return metric.text();
}

std::string lines_counter(const Ranks& ranks) {
  Metric metric("status_lines_total", "counter", "Lines that the rank wrote to LOCKSTEP_STATUS.");
  for (const RankStatus& rank : ranks) {
    metric.add(rank, static_cast<double>(rank.lines.accepted), ",result=\"accepted\"");
    metric.add(rank, static_cast<double>(rank.lines.rejected), ",result=\"rejected\"");
    metric.add(rank, static_cast<double>(rank.lines.skipped), ",result=\"skipped\"");
  }
  return metric.text();
}

}  // namespace

std::optional<double> silent_seconds(const Ranks& ranks) {
  if (std::none_of(ranks.begin(), ranks.end(), is_advancing)) return std::nullopt;
  std::optional<double> least;
  for (const RankStatus& rank : ranks) {
    const auto& seconds = rank.silent_seconds;
    if (seconds) least = std::min(least.value_or(*seconds), *seconds);
  }
  return least;
}

const RankStatus* slowest(const Ranks& ranks) {
  const auto place = [](const RankStatus& rank) {
    const auto& step = rank.report[Field::kStep];
    return std::tuple(!rank.is_stopped, !step, rank.report[Field::kEpoch].value_or(0),
                      step.value_or(0), rank.report.phase != "checkpoint", -*rank.silent_seconds);
  };
  const RankStatus* found = nullptr;
  for (const RankStatus& rank : ranks) {
    if (is_advancing(rank) && (!found || place(rank) < place(*found))) found = &rank;
  }
  return found;
}

bool is_done(const NodeStatus& node) {
  return std::all_of(node.ranks.begin(), node.ranks.end(),
                     [](const RankStatus& rank) { return rank.report.phase == "done"; });
}

std::string final_progress(const NodeStatus& node) {
  const RankStatus* rank = speaker(node.ranks);
  return rank ? dump({{"progress", said(*rank)}}) : "";
}

std::string progress_page(const NodeStatus& node) {
  Json page = {{"schema", contract::kStatusSchema}};
  if (!node.job.empty()) page["job"] = node.job;
  if (!node.uid.empty()) page["uid"] = node.uid;
  page["attempt"] = node.attempt;
  page["nodeRank"] = node.node_rank;
  if (const auto seconds = silent_seconds(node.ranks)) {
    page["secondsSinceProgress"] = in_milliseconds(*seconds);
  }
  if (const RankStatus* rank = speaker(node.ranks)) page["progress"] = said(*rank);
  if (const RankStatus* rank = slowest(node.ranks)) page["slowest"] = place(*rank);
  const std::size_t listed = std::min(node.ranks.size(), kMostListedRanks);
  page["ranks"] = Json::array();
  std::transform(node.ranks.begin(), node.ranks.begin() + listed, std::back_inserter(page["ranks"]),
                 place);
  page["ranksLeftOut"] = node.ranks.size() - listed;
  return dump(page) + "\n";
}

std::string metrics_page(const NodeStatus& node) {
  const Ranks& ranks = node.ranks;
  std::string page = gauge(ranks, "up", "1 while the rank runs, then 0.",
                           [](const RankStatus& rank) { return rank.is_running; });
  page += gauge(ranks, "seconds_since_progress", "Seconds since the rank's last report.",
                current_silence);
  for (const FieldRule& rule : kFieldRules) {
    page += gauge(ranks, rule.metric, rule.help,
                  [&](const RankStatus& rank) { return rank.report[rule.field]; });
  }
  return page + phase_gauge(ranks) + lines_counter(ranks);
}

}  // namespace lockstep
