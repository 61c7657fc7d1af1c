// Printing, comparing and hashing a configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainer/config/config.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Config with(const std::vector<std::string>& overrides) {
  return load_config({.environment{}, .files{}, .overrides{overrides}, .checkpoint_directory{}});
}

TEST(Resolved, IsADocumentOfSections) {
  const std::string text = resolved(with({"optim.lr=0.1", "model.hidden=[3, 4]"}));
  EXPECT_THAT(text, testing::StartsWith("seed: 1\n"
                                        "model:\n"
                                        "  name: \"lenet\"\n"
                                        "  file: \"\"\n"
                                        "  options: \"\"\n"
                                        "  weights: \"\"\n"
                                        "  new_head: false\n"
                                        "  num_classes: 0\n"
                                        "  hidden: [3, 4]\n"
                                        "  batch_norm: true\n"));
  EXPECT_THAT(text, HasSubstr("data:\n  shuffle: true\n"));
  EXPECT_THAT(text, HasSubstr("  train:\n    format: \"idx\"\n"));
  EXPECT_THAT(text, HasSubstr("  val:\n    format: \"idx\"\n"));
  EXPECT_THAT(text, HasSubstr("train:\n  epochs: 2\n"));
  EXPECT_THAT(text, HasSubstr("  lr: 0.1\n"));
}

TEST(Resolved, ReadsBackToTheSame) {
  const Config config = with({"optim.lr=0.30000000000000004", "data.train.path='a \"b\" \\c: #d'",
                              "seed=9007199254740992", "model.hidden=[]", "data.std=1e-5",
                              "checkpoint.directory='yes'", "data.val.path='~'"});
  ConfigSources sources;
  sources.environment = resolved(config);
  const Config again = load_config(sources);
  EXPECT_EQ(resolved(again), resolved(config));
  EXPECT_EQ(again.optim.lr, 0.30000000000000004);
  EXPECT_EQ(again.data.train.path, "a \"b\" \\c: #d");
  EXPECT_EQ(again.data.val.path, "~");
}

TEST(StateHash, ChangesWithWhatShapesTheState) {
  const std::string hash = state_hash(Config{});
  EXPECT_EQ(hash.size(), 16U);
  for (const char* change : {"seed=2",
                             "model.name=mlp",
                             "model.num_classes=11",
                             "model.hidden=[1]",
                             "model.batch_norm=false",
                             "model.options=depth",
                             "train.channels_last=true",
                             "schedule.metric=accuracy",
                             "train.overfit_batches=1",
                             "data.shuffle=false",
                             "data.tail=drop",
                             "data.mean=0",
                             "data.std=1",
                             "data.train.format=synthetic",
                             "train.batch_size=64",
                             "optim.lr=0.1",
                             "optim.momentum=0.5",
                             "optim.nesterov=true",
                             "optim.weight_decay=0.1",
                             "optim.name=adam",
                             "optim.dampening=0.1",
                             "optim.beta1=0.8",
                             "optim.beta2=0.9",
                             "optim.eps=1e-6",
                             "optim.decay_norm_and_bias=false",
                             "optim.scale_lr=sqrt",
                             "optim.base_batch_size=32",
                             "optim.clip_norm=1",
                             "optim.clip_value=1",
                             "optim.ema_decay=0.9",
                             "optim.ema_warmup=true",
                             "optim.label_smoothing=0.1",
                             "optim.mixup=0.2",
                             "optim.cutmix=1"}) {
    EXPECT_NE(state_hash(with({change})), hash) << change;
  }
}

TEST(StateHash, StaysWhenTrainingIsLongerOrLogsMore) {
  const std::string hash = state_hash(Config{});
  for (const char* change :
       {"train.epochs=9", "train.max_steps=5", "train.backend=gloo", "train.accumulate=2",
        "train.eval_batch_size=7", "schedule.name=constant", "schedule.warmup_steps=5",
        "data.train.path=/elsewhere", "data.val.format=synthetic", "checkpoint.keep=9",
        "checkpoint.resume=force", "log.every_steps=1", "ddp.bucket_mib=1", "model.file=/elsewhere",
        "train.step_timeout=9", "train.verify_every_steps=1", "checkpoint.asynchronous=false"}) {
    EXPECT_EQ(state_hash(with({change})), hash) << change;
  }
}

TEST(StateHash, IsTheSameOnEveryMachine) {
  // FNV-1a over "name=value\n" of the sorted settings, computed by another program.
  EXPECT_EQ(state_hash(Config{}), "f1d85fab0688c8cb");
}

TEST(Differing, NamesWhatChanged) {
  const Settings before = state_settings(Config{});
  EXPECT_THAT(differing(before, before), IsEmpty());
  const Settings after =
      state_settings(with({"optim.lr=0.1", "model.name=mlp", "log.every_steps=1"}));
  EXPECT_THAT(differing(before, after), ElementsAre("model.name", "optim.lr"));
  EXPECT_THAT(differing({{"a", "1"}, {"b", "1"}}, {{"b", "1"}, {"c", "1"}}), ElementsAre("a", "c"));
}

}  // namespace
}  // namespace lockstep
