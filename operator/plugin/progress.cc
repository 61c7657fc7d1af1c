// Progress as people read it.
#include "operator/plugin/progress.h"

#include "operator/plugin/words.h"

namespace lockstep {
namespace {

std::string of(const std::optional<std::int64_t>& done, const std::optional<std::int64_t>& all) {
  if (!done) return "";
  return std::to_string(*done) + (all ? "/" + std::to_string(*all) : "");
}

}  // namespace

std::string steps_text(const Progress& progress) { return of(progress.step, progress.steps); }

std::string done_text(const Progress& progress) {
  const std::optional<int> percent = percent_of(progress);
  return percent ? std::to_string(*percent) + "%" : "";
}

std::string describe(const Progress& progress) {
  std::string text;
  const auto add = [&](const std::string& before, const std::string& figure,
                       const std::string& after = "") {
    if (!figure.empty()) text += (text.empty() ? "" : ", ") + before + figure + after;
  };
  const auto quantity = [](const std::optional<double>& value) {
    return value ? quantity_text(*value) : "";
  };
  const std::string done = done_text(progress);
  add("epoch ", of(progress.epoch, progress.epochs));
  add("step ", steps_text(progress), done.empty() ? "" : " (" + done + ")");
  add("loss ", quantity(progress.loss));
  add("", quantity(progress.samples_per_second), " samples/s");
  add("", progress.seconds_remaining ? duration_text(*progress.seconds_remaining) : "", " left");
  add("checkpoint of step ", of(progress.checkpoint_step, std::nullopt));
  return text;
}

}  // namespace lockstep
