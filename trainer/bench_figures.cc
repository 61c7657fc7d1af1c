// One list of parts for both forms.
#include "trainer/bench_figures.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "trainer/progress.h"

namespace lockstep {
namespace {

constexpr double kMillisecond = 1e-3;

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  char text[200];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

using Parts = std::vector<std::pair<std::string, double>>;

Parts parts_of(const BenchFigures& figures) {
  Parts parts{{"data wait", figures.data_wait},
              {"forward", figures.forward},
              {figures.comm_wait ? "backward" : "backward, comm wait", figures.backward}};
  if (figures.comm_wait) parts.emplace_back("comm wait", *figures.comm_wait);
  parts.emplace_back("optimizer", figures.optimizer);
  parts.emplace_back("rest", figures.rest);
  return parts;
}

std::string split_table(const BenchFigures& figures) {
  const Parts parts = parts_of(figures);
  double sum = 0;
  for (const auto& [name, seconds] : parts) sum += seconds;
  std::string text = format("%-20s %10s %8s\n", "", "ms a step", "share");
  for (const auto& [name, seconds] : parts) {
    text +=
        format("%-20s %10.2f %7.1f%%\n", name.c_str(), seconds / kMillisecond, 100 * seconds / sum);
  }
  return text + format("%-20s %10.2f %7.1f%%\n", "all", sum / kMillisecond, 100.0);
}

std::string cost_line(const BenchFigures& figures) {
  constexpr double kMega = 1e6;
  std::string text;
  if (figures.flops_per_sample) {
    text += format("%.2f MFLOP in a sample's forward pass", *figures.flops_per_sample / kMega);
  }
  if (figures.mfu) text += format(", MFU %.1f%%", *figures.mfu * 100);
  if (figures.memory)
    text += (text.empty() ? "memory " : ", memory ") + short_size(*figures.memory);
  return text;
}

}  // namespace

std::string table_of(const BenchFigures& figures) {
  const std::int64_t per_rank = figures.batch_size / figures.ranks;
  return format("%s: batch %lld, %d x %lld\n", figures.what.c_str(),
                static_cast<long long>(figures.batch_size), figures.ranks,
                static_cast<long long>(per_rank)) +
         format("first step %.1f ms; then %lld steps: %.2f ms median, %.2f ms p95\n",
                figures.first_step / kMillisecond, static_cast<long long>(figures.steps),
                figures.median / kMillisecond, figures.p95 / kMillisecond) +
         format("%.1f samples/s, %.1f of each rank\n\n", figures.samples_per_second,
                figures.samples_per_second / figures.ranks) +
         split_table(figures) + "\n" + cost_line(figures);
}

std::string json_of(const BenchFigures& figures) {
  nlohmann::ordered_json json{
      {"what", figures.what},
      {"ranks", figures.ranks},
      {"batch_size", figures.batch_size},
      {"steps", figures.steps},
      {"samples_per_second", figures.samples_per_second},
      {"samples_per_second_per_rank", figures.samples_per_second / figures.ranks},
      {"first_step_seconds", figures.first_step},
      {"step_seconds_median", figures.median},
      {"step_seconds_p95", figures.p95},
      {"data_wait_seconds", figures.data_wait},
      {"forward_seconds", figures.forward},
      {"backward_seconds", figures.backward},
      {"optimizer_seconds", figures.optimizer},
      {"rest_seconds", figures.rest}};
  const auto add = [&json](const char* name, const std::optional<double>& value) {
    if (value) json[name] = *value;
  };
  add("comm_wait_seconds", figures.comm_wait);
  add("forward_flops_per_sample", figures.flops_per_sample);
  add("mfu", figures.mfu);
  add("memory", figures.memory);
  return json.dump();
}

}  // namespace lockstep
