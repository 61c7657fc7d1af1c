// Names and units of each figure, once for each of the two forms.
#include "trainer/watch/figures.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

using Line = nlohmann::ordered_json;

Line line_begin(const char* kind, std::int64_t step, double time) {
  return {{"kind", kind}, {"step", step}, {"time", time}};
}

void add(Line& line, const char* name, std::optional<double> value) {
  if (value && std::isfinite(*value)) line[name] = *value;
}

std::string text_of(const Line& line) {
  return line.dump(-1, ' ', /*ensure_ascii=*/true, Line::error_handler_t::replace) + "\n";
}

void add(std::vector<Scalar>& scalars, const char* tag, std::optional<double> value) {
  if (value && std::isfinite(*value)) scalars.push_back({tag, static_cast<float>(*value)});
}

std::optional<double> percent(std::optional<double> share) {
  return share ? std::optional(*share * 100) : std::nullopt;
}

}  // namespace

std::string line_of(const StartFigures& figures, double time) {
  Line line = line_begin("start", figures.step, time);
  line["steps"] = figures.steps;
  line["epochs"] = figures.epochs;
  line["batch_size"] = figures.batch_size;
  line["ranks"] = figures.ranks;
  line["attempt"] = figures.attempt;
  line["config_hash"] = figures.config_hash;
  return text_of(line);
}

std::string line_of(const TrainFigures& figures, double time) {
  Line line = line_begin("train", figures.step, time);
  line["epoch"] = figures.epoch;
  add(line, "loss", figures.loss);
  add(line, "lr", figures.learning_rate);
  add(line, "grad_norm", figures.grad_norm);
  add(line, "accuracy", figures.accuracy);
  add(line, "top5", figures.top5);
  if (figures.batch_size) line["batch_size"] = *figures.batch_size;
  add(line, "samples_per_second", figures.samples_per_second);
  add(line, "data_wait", figures.data_wait);
  add(line, "comm_wait", figures.comm_wait);
  add(line, "mfu", figures.mfu);
  add(line, "memory", figures.memory);
  add(line, "loss_scale", figures.loss_scale);
  return text_of(line);
}

std::string line_of(const ValFigures& figures, double time) {
  Line line = line_begin("val", figures.step, time);
  line["epoch"] = figures.epoch;
  add(line, "loss", figures.loss);
  add(line, "accuracy", figures.accuracy);
  add(line, "top5", figures.top5);
  add(line, "seconds", figures.seconds);
  return text_of(line);
}

std::vector<Scalar> scalars_of(const TrainFigures& figures) {
  std::vector<Scalar> scalars;
  add(scalars, "train_loss_iteration", figures.loss);
  add(scalars, "train_top1_acc_iteration", percent(figures.accuracy));
  add(scalars, "train_top5_acc_iteration", percent(figures.top5));
  add(scalars, "train_batch_size_iteration", figures.batch_size);
  add(scalars, "learning_rate", figures.learning_rate);
  add(scalars, "grad_norm", figures.grad_norm);
  add(scalars, "samples_per_second", figures.samples_per_second);
  add(scalars, "data_wait", figures.data_wait);
  add(scalars, "comm_wait", figures.comm_wait);
  add(scalars, "mfu", figures.mfu);
  add(scalars, "memory", figures.memory);
  add(scalars, "loss_scale", figures.loss_scale);
  return scalars;
}

std::vector<Scalar> scalars_of(const ValFigures& figures) {
  std::vector<Scalar> scalars;
  add(scalars, "val_loss_epoch", figures.loss);
  add(scalars, "val_top1_acc_epoch", percent(figures.accuracy));
  add(scalars, "val_top5_acc_epoch", percent(figures.top5));
  return scalars;
}

}  // namespace lockstep
