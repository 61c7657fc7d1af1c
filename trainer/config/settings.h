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

namespace setting_list {

inline constexpr Change kFree = Change::kIsFree;
inline constexpr Change kShape = Change::kBreaksResume;
inline const Rule kAny, kCount{1, 2e9}, kCountOr0{0, 2e9};

template <typename Section, typename Visit>
void model(Section& model, Visit& visit) {
  visit("model.name", model.name, kAny, kShape);
  visit("model.num_classes", model.num_classes, Rule{2, 100000}, kShape);
  visit("model.hidden", model.hidden, Rule{1, 65536}, kShape);
  visit("model.batch_norm", model.batch_norm, kAny, kShape);
}

template <typename Section, typename Visit>
void source(const std::string& prefix, Section& source, Change change, Visit& visit) {
  visit(prefix + "format", source.format, Rule{.words = {"idx", "synthetic"}}, change);
  visit(prefix + "path", source.path, kAny, kFree);
  visit(prefix + "images", source.images, kAny, kFree);
  visit(prefix + "labels", source.labels, kAny, kFree);
  visit(prefix + "samples", source.samples, Rule{1, 10'000'000}, change);
}

template <typename Section, typename Visit>
void data(Section& data, Visit& visit) {
  visit("data.shuffle", data.shuffle, kAny, kShape);
  visit("data.drop_last", data.drop_last, kAny, kShape);
  visit("data.mean", data.mean, Rule{-1000, 1000}, kShape);
  visit("data.std", data.std, Rule{1e-6, 1000}, kShape);
  source("data.train.", data.train, kShape, visit);
  source("data.val.", data.val, kFree, visit);
}

template <typename Section, typename Visit>
void train(Section& train, Visit& visit) {
  visit("train.epochs", train.epochs, Rule{1, 1'000'000}, kFree);
  visit("train.batch_size", train.batch_size, Rule{1, 10'000'000}, kShape);
  visit("train.max_steps", train.max_steps, kCountOr0, kFree);
  visit("train.eval_batch_size", train.eval_batch_size, Rule{1, 10'000'000}, kFree);
  visit("train.eval_every_epochs", train.eval_every_epochs, kCount, kFree);
  visit("train.backend", train.backend, Rule{.words = {"auto", "gloo", "nccl"}}, kFree);
}

template <typename Section, typename Visit>
void optim(Section& optim, Visit& visit) {
  visit("optim.name", optim.name, Rule{.words = {"sgd"}}, kShape);
  visit("optim.lr", optim.lr, Rule{0, 1000}, kShape);
  visit("optim.momentum", optim.momentum, Rule{0, 1}, kShape);
  visit("optim.nesterov", optim.nesterov, kAny, kShape);
  visit("optim.weight_decay", optim.weight_decay, Rule{0, 1000}, kShape);
}

template <typename Section, typename Visit>
void schedule(Section& schedule, Visit& visit) {
  visit("schedule.name", schedule.name, Rule{.words = {"constant", "cosine"}}, kFree);
  visit("schedule.warmup_steps", schedule.warmup_steps, kCountOr0, kFree);
  visit("schedule.warmup_epochs", schedule.warmup_epochs, Rule{0, 1'000'000}, kFree);
  visit("schedule.final_lr", schedule.final_lr, Rule{0, 1000}, kFree);
}

template <typename Section, typename Visit>
void ddp(Section& ddp, Visit& visit) {
  visit("ddp.first_bucket_mib", ddp.first_bucket_mib, Rule{0.001, 16384}, kFree);
  visit("ddp.bucket_mib", ddp.bucket_mib, Rule{0.001, 16384}, kFree);
  visit("ddp.find_unused", ddp.find_unused, kAny, kFree);
  visit("ddp.rebuild_buckets", ddp.rebuild_buckets, kAny, kFree);
}

template <typename Section, typename Visit>
void checkpoint(Section& checkpoint, Visit& visit) {
  visit("checkpoint.directory", checkpoint.directory, kAny, kFree);
  visit("checkpoint.every_epochs", checkpoint.every_epochs, kCountOr0, kFree);
  visit("checkpoint.every_steps", checkpoint.every_steps, kCountOr0, kFree);
  visit("checkpoint.keep", checkpoint.keep, Rule{1, 1'000'000}, kFree);
  visit("checkpoint.resume", checkpoint.resume, Rule{.words = {"auto", "never", "force"}}, kFree);
}

}  // namespace setting_list

// Calls visit(name, value, rule, change) for each setting, in the order of the printed document.
// `ConfigType` is Config or const Config.
template <typename ConfigType, typename Visit>
void for_each_setting(ConfigType& config, Visit&& visit) {
  visit("seed", config.seed, Rule{0, 0x1p53}, Change::kBreaksResume);
  setting_list::model(config.model, visit);
  setting_list::data(config.data, visit);
  setting_list::train(config.train, visit);
  setting_list::optim(config.optim, visit);
  setting_list::schedule(config.schedule, visit);
  setting_list::ddp(config.ddp, visit);
  setting_list::checkpoint(config.checkpoint, visit);
  visit("log.every_steps", config.log.every_steps, setting_list::kCount, Change::kIsFree);
}

}  // namespace lockstep
