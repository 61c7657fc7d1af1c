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
inline constexpr double kBelow1 = 0.999999999;
inline const Rule kFormats{.words = {"", "idx", "cifar10", "cifar100", "folder", "csv", "records",
                                     "lines", "text", "tokens16", "tokens32", "synthetic"}};
inline const Rule kSchedules{.words = {"constant", "multistep", "exponential", "linear", "poly",
                                       "cosine", "wsd", "one_cycle", "plateau"}};
inline const Rule kAny, kCount{1, 2e9}, kCountOr0{0, 2e9}, kSeconds{1, 1e6};

template <typename Section, typename Visit>
void model(Section& model, Visit& visit) {
  visit("model.name", model.name, kAny, kShape);
  visit("model.file", model.file, kAny, kFree);
  visit("model.options", model.options, kAny, kShape);
  visit("model.weights", model.weights, kAny, kFree);
  visit("model.new_head", model.new_head, kAny, kFree);
  visit("model.num_classes", model.num_classes, Rule{0, 100000}, kShape);
  visit("model.hidden", model.hidden, Rule{1, 65536}, kShape);
  visit("model.batch_norm", model.batch_norm, kAny, kShape);
  visit("model.stem", model.stem, Rule{.words = {"auto", "imagenet", "small"}}, kShape);
  visit("model.width", model.width, Rule{1, 65536}, kShape);
  visit("model.layers", model.layers, Rule{1, 1000}, kShape);
  visit("model.heads", model.heads, Rule{1, 1000}, kShape);
  visit("model.dropout", model.dropout, Rule{0, 0.99}, kShape);
}

template <typename Section, typename Visit>
void source(const std::string& prefix, Section& source, Change change, Visit& visit) {
  visit(prefix + "format", source.format, kFormats, change);
  visit(prefix + "path", source.path, kAny, kFree);
  visit(prefix + "images", source.images, kAny, kFree);
  visit(prefix + "labels", source.labels, kAny, kFree);
  visit(prefix + "label_column", source.label_column, kAny, change);
  visit(prefix + "samples", source.samples, Rule{1, 10'000'000}, change);
}

template <typename Section, typename Visit>
void augment(Section& augment, Visit& visit) {
  visit("data.augment.crop", augment.crop, Rule{.words = {"none", "resized", "padded"}}, kShape);
  visit("data.augment.padding", augment.padding, Rule{0, 1000}, kShape);
  visit("data.augment.flip", augment.flip, kAny, kShape);
  visit("data.augment.brightness", augment.brightness, Rule{0, 10}, kShape);
  visit("data.augment.contrast", augment.contrast, Rule{0, 10}, kShape);
  visit("data.augment.saturation", augment.saturation, Rule{0, 10}, kShape);
  visit("data.augment.hue", augment.hue, Rule{0, 0.5}, kShape);
  visit("data.augment.operations", augment.operations, Rule{0, 14}, kShape);
  visit("data.augment.magnitude", augment.magnitude, Rule{0, 30}, kShape);
  visit("data.augment.erasing", augment.erasing, Rule{0, 1}, kShape);
}

template <typename Section, typename Visit>
void sampler(Section& sampler, Visit& visit) {
  visit("data.sampler.name", sampler.name,
        Rule{.words = {"distributed", "length_bucket", "repeat_factor", "weighted", "multigrid"}},
        kShape);
  visit("data.sampler.up_to", sampler.up_to, Rule{0, 2e9}, kShape);
  visit("data.sampler.batch", sampler.batch, Rule{1, 10'000'000}, kShape);
  visit("data.sampler.window", sampler.window, Rule{1, 1'000'000}, kShape);
  visit("data.sampler.threshold", sampler.threshold, Rule{0, 1}, kShape);
  visit("data.sampler.weights", sampler.weights, Rule{.words = {"classes", "samples"}}, kShape);
  visit("data.sampler.short_cycle", sampler.short_cycle, kAny, kShape);
  visit("data.sampler.long_cycle", sampler.long_cycle, Rule{1, 1'000'000}, kShape);
}

template <typename Section, typename Visit>
void data(Section& data, Visit& visit) {
  visit("data.shuffle", data.shuffle, kAny, kShape);
  visit("data.tail", data.tail, Rule{.words = {"pad", "drop", "join"}}, kShape);
  visit("data.mean", data.mean, Rule{-1000, 1000}, kShape);
  visit("data.std", data.std, Rule{1e-6, 1000}, kShape);
  visit("data.image_size", data.image_size, Rule{1, 4096}, kShape);
  visit("data.resize", data.resize, Rule{1, 8192}, kShape);
  visit("data.max_damaged", data.max_damaged, kCountOr0, kFree);
  augment(data.augment, visit);
  visit("data.holdout", data.holdout, Rule{0, 0.9}, kShape);
  visit("data.unit", data.unit, Rule{.words = {"byte", "character", "word"}}, kShape);
  visit("data.vocabulary", data.vocabulary, Rule{1, 10'000'000}, kShape);
  visit("data.min_count", data.min_count, kCount, kShape);
  visit("data.longest", data.longest, Rule{1, 1'000'000}, kShape);
  visit("data.context", data.context, Rule{1, 1'000'000}, kShape);
  visit("data.threads", data.threads, Rule{0, 1024}, kFree);
  visit("data.ahead", data.ahead, Rule{1, 1024}, kFree);
  sampler(data.sampler, visit);
  source("data.train.", data.train, kShape, visit);
  source("data.val.", data.val, kFree, visit);
}

template <typename Section, typename Visit>
void train(Section& train, Visit& visit) {
  visit("train.epochs", train.epochs, Rule{1, 1'000'000}, kFree);
  visit("train.batch_size", train.batch_size, Rule{1, 10'000'000}, kShape);
  visit("train.accumulate", train.accumulate, Rule{1, 10'000'000}, kFree);
  visit("train.max_steps", train.max_steps, kCountOr0, kFree);
  visit("train.eval_batch_size", train.eval_batch_size, Rule{1, 10'000'000}, kFree);
  visit("train.eval_every_epochs", train.eval_every_epochs, kCount, kFree);
  visit("train.precision", train.precision, Rule{.words = {"fp32", "bf16", "fp16"}}, kShape);
  visit("train.backend", train.backend, Rule{.words = {"auto", "gloo", "nccl"}}, kFree);
  visit("train.channels_last", train.channels_last, kAny, kShape);
  visit("train.overfit_batches", train.overfit_batches, Rule{0, 10'000'000}, kShape);
  visit("train.verify_every_steps", train.verify_every_steps, kCountOr0, kFree);
  visit("train.first_step_timeout", train.first_step_timeout, kSeconds, kFree);
  visit("train.step_timeout", train.step_timeout, Rule{0, 1e6}, kFree);
}

template <typename Section, typename Visit>
void optim(Section& optim, Visit& visit) {
  visit("optim.name", optim.name, Rule{.words = {"sgd", "adam", "adamw"}}, kShape);
  visit("optim.lr", optim.lr, Rule{0, 1000}, kShape);
  visit("optim.scale_lr", optim.scale_lr, Rule{.words = {"none", "linear", "sqrt"}}, kShape);
  visit("optim.base_batch_size", optim.base_batch_size, Rule{1, 10'000'000}, kShape);
  visit("optim.momentum", optim.momentum, Rule{0, 1}, kShape);
  visit("optim.dampening", optim.dampening, Rule{0, 1}, kShape);
  visit("optim.nesterov", optim.nesterov, kAny, kShape);
  visit("optim.beta1", optim.beta1, Rule{0, kBelow1}, kShape);
  visit("optim.beta2", optim.beta2, Rule{0, kBelow1}, kShape);
  visit("optim.eps", optim.eps, Rule{0, 1}, kShape);
  visit("optim.weight_decay", optim.weight_decay, Rule{0, 1000}, kShape);
  visit("optim.decay_norm_and_bias", optim.decay_norm_and_bias, kAny, kShape);
  visit("optim.clip_norm", optim.clip_norm, Rule{0, 1e9}, kShape);
  visit("optim.clip_value", optim.clip_value, Rule{0, 1e9}, kShape);
  visit("optim.skip_non_finite", optim.skip_non_finite, Rule{0, 1000}, kFree);
  visit("optim.ema_decay", optim.ema_decay, Rule{0, kBelow1}, kShape);
  visit("optim.ema_warmup", optim.ema_warmup, kAny, kShape);
  visit("optim.label_smoothing", optim.label_smoothing, Rule{0, kBelow1}, kShape);
  visit("optim.mixup", optim.mixup, Rule{0, 1000}, kShape);
  visit("optim.cutmix", optim.cutmix, Rule{0, 1000}, kShape);
}

template <typename Section, typename Visit>
void schedule(Section& schedule, Visit& visit) {
  visit("schedule.name", schedule.name, kSchedules, kFree);
  visit("schedule.per", schedule.per, Rule{.words = {"step", "epoch"}}, kFree);
  visit("schedule.warmup_steps", schedule.warmup_steps, kCountOr0, kFree);
  visit("schedule.warmup_epochs", schedule.warmup_epochs, Rule{0, 1'000'000}, kFree);
  visit("schedule.warmup_start_lr", schedule.warmup_start_lr, Rule{0, 1000}, kFree);
  visit("schedule.warmup", schedule.warmup, Rule{.words = {"linear", "gluoncv"}}, kFree);
  visit("schedule.final_lr", schedule.final_lr, Rule{0, 1000}, kFree);
  visit("schedule.milestones", schedule.milestones, Rule{1, 1'000'000}, kFree);
  visit("schedule.gamma", schedule.gamma, Rule{1e-9, 1}, kFree);
  visit("schedule.power", schedule.power, Rule{1e-3, 100}, kFree);
  visit("schedule.decay_fraction", schedule.decay_fraction, Rule{0, 1}, kFree);
  visit("schedule.peak_at", schedule.peak_at, Rule{0, 1}, kFree);
  visit("schedule.div_factor", schedule.div_factor, Rule{1, 1e9}, kFree);
  visit("schedule.final_div_factor", schedule.final_div_factor, Rule{1, 1e9}, kFree);
  visit("schedule.metric", schedule.metric, Rule{.words = {"loss", "accuracy"}}, kShape);
  visit("schedule.patience", schedule.patience, kCountOr0, kFree);
  visit("schedule.threshold", schedule.threshold, Rule{0, 0.5}, kFree);
  visit("schedule.cooldown", schedule.cooldown, kCountOr0, kFree);
  visit("schedule.stop_patience", schedule.stop_patience, kCountOr0, kFree);
  visit("schedule.stop_min_delta", schedule.stop_min_delta, Rule{0, 1e9}, kFree);
}

template <typename Section, typename Visit>
void ddp(Section& ddp, Visit& visit) {
  visit("ddp.first_bucket_mib", ddp.first_bucket_mib, Rule{0.001, 16384}, kFree);
  visit("ddp.bucket_mib", ddp.bucket_mib, Rule{0.001, 16384}, kFree);
  visit("ddp.find_unused", ddp.find_unused, kAny, kFree);
  visit("ddp.rebuild_buckets", ddp.rebuild_buckets, kAny, kFree);
  visit("ddp.static_graph", ddp.static_graph, kAny, kFree);
  visit("ddp.compress", ddp.compress, Rule{.words = {"none", "fp16", "bf16"}}, kFree);
}

template <typename Section, typename Visit>
void checkpoint(Section& checkpoint, Visit& visit) {
  visit("checkpoint.directory", checkpoint.directory, kAny, kFree);
  visit("checkpoint.every_epochs", checkpoint.every_epochs, kCountOr0, kFree);
  visit("checkpoint.every_steps", checkpoint.every_steps, kCountOr0, kFree);
  visit("checkpoint.keep", checkpoint.keep, Rule{1, 1'000'000}, kFree);
  visit("checkpoint.keep_every", checkpoint.keep_every, kCountOr0, kFree);
  visit("checkpoint.best", checkpoint.best, Rule{.words = {"none", "accuracy", "loss"}}, kFree);
  visit("checkpoint.resume", checkpoint.resume, Rule{.words = {"auto", "never", "force"}}, kFree);
  visit("checkpoint.asynchronous", checkpoint.asynchronous, kAny, kFree);
}

template <typename Section, typename Visit>
void log(Section& log, Visit& visit) {
  visit("log.every_steps", log.every_steps, kCount, kFree);
  visit("log.directory", log.directory, kAny, kFree);
  visit("log.tensorboard", log.tensorboard, kAny, kFree);
  visit("log.peak_tflops", log.peak_tflops, Rule{0, 1e6}, kFree);
  visit("log.profile_at", log.profile_at, kCountOr0, kFree);
  visit("log.profile_steps", log.profile_steps, Rule{1, 1000}, kFree);
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
  setting_list::log(config.log, visit);
}

}  // namespace lockstep
