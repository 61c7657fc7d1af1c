// The one list of all settings: name, place in Config, permitted values, and whether a setting
// shapes the training state. Reading, printing and hashing all walk this list.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/config/config.h"

namespace lockstep {

// What a value may be. Bounds hold for numbers and for the elements of a list.
struct Rule {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string_view> words{};  // the only texts permitted; empty: any
};

// Whether a run may resume from a checkpoint that was written with another value.
enum class Change { kIsFree, kBreaksResume };

// Calls visit(name, value, rule, change) for each setting, in the order of the printed document:
// top-level settings first, then section by section. `ConfigType` is Config or const Config.
template <typename ConfigType, typename Visit>
void for_each_setting(ConfigType& config, Visit&& visit) {
  constexpr Change kFree = Change::kIsFree;
  constexpr Change kShape = Change::kBreaksResume;
  constexpr double kManySteps = 2e9;
  const Rule any, count{1, kManySteps}, count_or_0{0, kManySteps};

  visit("seed", config.seed, Rule{0, 0x1p53}, kShape);

  auto& model = config.model;
  visit("model.name", model.name, any, kShape);
  visit("model.num_classes", model.num_classes, Rule{2, 100000}, kShape);
  visit("model.hidden", model.hidden, Rule{1, 65536}, kShape);
  visit("model.batch_norm", model.batch_norm, any, kShape);

  auto& data = config.data;
  const auto visit_source = [&](const std::string& prefix, auto& source, Change change) {
    visit(prefix + "format", source.format, Rule{.words = {"idx", "synthetic"}}, change);
    visit(prefix + "path", source.path, any, kFree);
    visit(prefix + "images", source.images, any, kFree);
    visit(prefix + "labels", source.labels, any, kFree);
    visit(prefix + "samples", source.samples, Rule{1, 10'000'000}, change);
  };
  visit("data.shuffle", data.shuffle, any, kShape);
  visit("data.drop_last", data.drop_last, any, kShape);
  visit("data.mean", data.mean, Rule{-1000, 1000}, kShape);
  visit("data.std", data.std, Rule{1e-6, 1000}, kShape);
  visit_source("data.train.", data.train, kShape);
  visit_source("data.val.", data.val, kFree);

  auto& train = config.train;
  visit("train.epochs", train.epochs, Rule{1, 1'000'000}, kFree);
  visit("train.batch_size", train.batch_size, Rule{1, 10'000'000}, kShape);
  visit("train.max_steps", train.max_steps, count_or_0, kFree);
  visit("train.eval_batch_size", train.eval_batch_size, Rule{1, 10'000'000}, kFree);
  visit("train.eval_every_epochs", train.eval_every_epochs, count, kFree);
  visit("train.backend", train.backend, Rule{.words = {"auto", "gloo", "nccl"}}, kFree);

  auto& optim = config.optim;
  visit("optim.name", optim.name, Rule{.words = {"sgd"}}, kShape);
  visit("optim.lr", optim.lr, Rule{0, 1000}, kShape);
  visit("optim.momentum", optim.momentum, Rule{0, 1}, kShape);
  visit("optim.nesterov", optim.nesterov, any, kShape);
  visit("optim.weight_decay", optim.weight_decay, Rule{0, 1000}, kShape);

  auto& schedule = config.schedule;
  visit("schedule.name", schedule.name, Rule{.words = {"constant", "cosine"}}, kFree);
  visit("schedule.warmup_steps", schedule.warmup_steps, count_or_0, kFree);
  visit("schedule.warmup_epochs", schedule.warmup_epochs, Rule{0, 1'000'000}, kFree);
  visit("schedule.final_lr", schedule.final_lr, Rule{0, 1000}, kFree);

  auto& ddp = config.ddp;
  visit("ddp.first_bucket_mib", ddp.first_bucket_mib, Rule{0.001, 16384}, kFree);
  visit("ddp.bucket_mib", ddp.bucket_mib, Rule{0.001, 16384}, kFree);
  visit("ddp.find_unused", ddp.find_unused, any, kFree);
  visit("ddp.rebuild_buckets", ddp.rebuild_buckets, any, kFree);

  auto& checkpoint = config.checkpoint;
  visit("checkpoint.directory", checkpoint.directory, any, kFree);
  visit("checkpoint.every_epochs", checkpoint.every_epochs, count_or_0, kFree);
  visit("checkpoint.every_steps", checkpoint.every_steps, count_or_0, kFree);
  visit("checkpoint.keep", checkpoint.keep, Rule{1, 1'000'000}, kFree);
  visit("checkpoint.resume", checkpoint.resume, Rule{.words = {"auto", "never", "force"}}, kFree);

  visit("log.every_steps", config.log.every_steps, count, kFree);
}

}  // namespace lockstep
