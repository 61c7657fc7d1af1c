// Reading a configuration: layers, types, and what bad input is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "trainer/config/config.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text) {
    static int count = 0;
    path_ = std::filesystem::path(testing::TempDir()) /
            ("config-" + std::to_string(getpid()) + "-" + std::to_string(count++) + ".yaml");
    std::ofstream(path_) << text;
  }
  ~ConfigFile() { std::filesystem::remove(path_); }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

Config load_text(const std::string& text) {
  const ConfigFile file(text);
  return load_config({.environment{}, .files{file.path()}, .overrides{}, .checkpoint_directory{}});
}

Config load_overrides(const std::vector<std::string>& overrides) {
  return load_config({.environment{}, .files{}, .overrides{overrides}, .checkpoint_directory{}});
}

// The message without the name of the file.
template <typename Load>
std::string refusal(Load load) {
  try {
    load();
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    const std::size_t file_end = message.find(".yaml ");
    return file_end == std::string::npos ? message : message.substr(file_end + 6);
  }
  return "accepted";
}

TEST(LoadConfig, HasDefaults) {
  const Config config = load_config({});
  EXPECT_EQ(config.model.name, "lenet");
  EXPECT_EQ(config.train.batch_size, 128);
  EXPECT_EQ(config.data.val.labels, "t10k-labels-idx1-ubyte");
  EXPECT_THAT(config.model.hidden, ElementsAre(128));
}

TEST(LoadConfig, ReadsEveryKindOfValue) {
  const Config config = load_text(
      "seed: 9007199254740992\n"
      "model: {name: mlp, hidden: [256, 64], batch_norm: false}\n"
      "data:\n"
      "  train: {path: /data/fashion}\n"
      "  mean: -0.5\n"
      "optim: {lr: 1e-3}\n"
      "schedule:\n"
      "log:\n"
      "  every_steps: 5   # a comment\n");
  EXPECT_EQ(config.seed, 9007199254740992U);
  EXPECT_THAT(config.model.hidden, ElementsAre(256, 64));
  EXPECT_FALSE(config.model.batch_norm);
  EXPECT_EQ(config.data.mean, std::vector<double>{-0.5});
  EXPECT_EQ(config.optim.lr, 0.001);
  EXPECT_EQ(config.log.every_steps, 5);
}

TEST(LoadConfig, LaysLaterLayersOverEarlierOnes) {
  const ConfigFile first("train: {epochs: 2, batch_size: 20}\noptim: {lr: 0.2}\n");
  const ConfigFile second("train: {batch_size: 30}\n");
  const Config config = load_config(
      {.environment = R"({"train": {"epochs": 1, "batch_size": 10, "max_steps": 7}, "seed": 1})",
       .files{first.path(), second.path()},
       .overrides{"seed=4", "optim.lr=0.5", "optim.lr=0.25"},
       .checkpoint_directory{}});
  EXPECT_EQ(config.train.max_steps, 7) << "from LOCKSTEP_CONFIG";
  EXPECT_EQ(config.train.epochs, 2) << "from the first file";
  EXPECT_EQ(config.train.batch_size, 30) << "from the second file";
  EXPECT_EQ(config.seed, 4U) << "from --set";
  EXPECT_EQ(config.optim.lr, 0.25) << "from the last --set";
}

TEST(LoadConfig, TakesOverridesAsYaml) {
  const Config config = load_overrides(
      {"model.hidden=[8, 4]", "data.train.path=/a=b", "data.shuffle=false", "model.hidden=[]"});
  EXPECT_THAT(config.model.hidden, IsEmpty());
  EXPECT_EQ(config.data.train.path, "/a=b");
  EXPECT_FALSE(config.data.shuffle);
}

TEST(LoadConfig, FillsInWhatFollowsFromTheRest) {
  ConfigSources sources;
  sources.checkpoint_directory = "/checkpoints";
  sources.overrides = {"data.train.path=/data"};
  EXPECT_EQ(load_config(sources).data.val.path, "/data");
  EXPECT_EQ(load_config(sources).checkpoint.directory, "/checkpoints");
  sources.overrides = {"data.val.path=/val", "checkpoint.directory=/mine"};
  EXPECT_EQ(load_config(sources).data.val.path, "/val");
  EXPECT_EQ(load_config(sources).checkpoint.directory, "/mine");
}

TEST(LoadConfig, NamesTheNearestValidKey) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"train:\n  epoch: 3\n", "line 2: unknown key epoch in section train: did you mean epochs?"},
      {"trian: {}\n", "line 1: unknown key trian: did you mean train?"},
      {"data: {train: {pth: /d}}\n",
       "line 1: unknown key pth in section data.train: did you mean path?"},
      {"momentum: 0.9\n", "line 1: unknown key momentum: did you mean optim.momentum?"},
      {"model: {zzzzzzzz: 1}\n",
       "line 1: unknown key zzzzzzzz in section model: "
       "valid are batch_norm, dropout, file, heads, hidden, layers, name"},
      {"model: {<<: {name: x}}\n", "line 1: unknown key << in section model"},
      {"[1]: 2\n", "line 1: unknown key that is no text"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(refusal([&] { load_text(c.text); }), HasSubstr(c.message)) << c.text;
  }
  EXPECT_EQ(refusal([] { load_overrides({"trian.epochs=3"}); }),
            "--set trian.epochs=3: unknown key trian: did you mean train?");
  EXPECT_EQ(refusal([] {
              load_config({R"({"optim": {"nestrov": true}})", {}, {}, {}});
            }),
            "LOCKSTEP_CONFIG: unknown key nestrov in section optim: did you mean nesterov?");
}

TEST(LoadConfig, RefusesAValueOfTheWrongKindOrRange) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"train:\n  epochs: many\n",
       "line 2: train.epochs must be a whole number from 1 to 1000000, not \"many\""},
      {"train: {epochs: 0}\n", "train.epochs must be a whole number from 1"},
      {"train: {epochs: 2.5}\n", "not \"2.5\""},
      {"train: {epochs: \"3\"}\n", "not \"3\""},
      {"train: {epochs: 3000000000}\n", "not \"3000000000\""},
      {"train: {epochs: }\n", "train.epochs must be a whole number from 1 to 1000000, not nothing"},
      {"train: {epochs: [3]}\n", "not a list"},
      {"train: {epochs: {a: 3}}\n", "not a section"},
      {"seed: -1\n", "seed must be a whole number from 0"},
      {"optim: {lr: fast}\n", "optim.lr must be a number from 0 to 1000, not \"fast\""},
      {"optim: {lr: .nan}\n", "not \".nan\""},
      {"optim: {lr: nan}\n", "not \"nan\""},
      {"optim: {lr: inf}\n", "not \"inf\""},
      {"data: {std: 0}\n", "data.std must be a number or a list of numbers from 1e-06"},
      {"data: {shuffle: yes}\n", "data.shuffle must be true or false, not \"yes\""},
      {"data: {train: {path: [a]}}\n", "data.train.path must be a text, not a list"},
      {"data: {train: {path: \"a\\nb\"}}\n", "data.train.path must be a text of one line"},
      {"data: {train: {format: cvs}}\n", "or csv or records or lines or text"},
      {"train: {backend: mpi}\n", "train.backend must be auto or gloo or nccl, not \"mpi\""},
      {"model: {hidden: 5}\n", "model.hidden must be a list of at most 64 whole numbers"},
      {"model: {hidden: [5, x]}\n", "model.hidden must be a list of whole numbers from 1"},
      {"train: 3\n", "line 1: train is a section of settings, not one value"},
      {"data: {train: /data}\n", "data.train is a section of settings, not one value"},
      {"schedule: {warmup_steps: 1, warmup_epochs: 1}\n", "exclude each other"},
      {"data: {sampler: {up_to: [5]}}\n", "need name: length_bucket, not distributed"},
      {"data: {sampler: {name: length_bucket, up_to: [5, 5]}}\n",
       "must grow from bucket to bucket"},
      {"data: {sampler: {name: length_bucket, up_to: [5], batch: [4]}}\n",
       "data.sampler.batch has 1 entries: write 2, one for each"},
      {"data: {sampler: {long_cycle: [1, 2, 3]}}\n", "needs name: multigrid, not distributed"},
      {"data: {sampler: {name: multigrid, long_cycle: [1, 3, 2]}}\n", "must be growing epochs"},
      {"data: {sampler: {name: multigrid, long_cycle: [1, 2]}}\n", "has 2 epochs: write 3, 7, 11"},
      {"optim: {nesterov: true, momentum: 0}\n", "needs optim.momentum above 0"},
      {"optim: {nesterov: true, name: adam}\n", "optim.nesterov needs optim.name: sgd"},
      {"optim: {nesterov: true, dampening: 0.1}\n", "optim.nesterov needs optim.dampening: 0"},
      {"optim: {clip_norm: 1, clip_value: 1}\n", "exclude each other: keep one of them"},
      {"optim: {beta2: 1}\n", "optim.beta2 must be a number from 0 to 0.999999999"},
      {"schedule: {name: multistep}\n", "multistep need each other"},
      {"schedule: {name: cosine, milestones: [3]}\n", "multistep need each other"},
      {"schedule: {name: multistep, milestones: [3, 3]}\n", "schedule.milestones must rise"},
      {"schedule: {name: one_cycle, warmup_steps: 3}\n", "has its own warm-up"},
      {"schedule: {per: epoch, warmup_steps: 3}\n", "as whole schedule.warmup_epochs"},
      {"schedule: {per: epoch, warmup_epochs: 1.5}\n", "as whole schedule.warmup_epochs"},
      {"schedule: {warmup: gluoncv}\n", "gluoncv needs schedule.per: epoch"},
      {"seed: 1\ntrain: {epochs: 1, epochs: 2}\n", "line 2: train.epochs is given twice"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(refusal([&] { load_text(c.text); }), HasSubstr(c.message)) << c.text;
  }
}

TEST(LoadConfig, RefusesWhatIsNoDocumentOfSections) {
  EXPECT_THAT(refusal([] { load_text("just text"); }), HasSubstr("must be sections of settings"));
  EXPECT_THAT(refusal([] { load_text("train: {epochs: 1"); }), HasSubstr("is no valid YAML"));
  EXPECT_THAT(refusal([] { load_text("seed: 1\n---\nseed: 2\n"); }),
              HasSubstr("more than one document"));
  EXPECT_THAT(refusal([] { load_text("#" + std::string(1 << 20, 'x')); }),
              HasSubstr("larger than 1 MiB"));
  EXPECT_THAT(refusal([] { load_text(std::string(500000, '[')); }), HasSubstr("is no valid YAML"));
  EXPECT_THAT(refusal([] {
                load_config({{}, {"/no/such/file"}, {}, {}});
              }),
              HasSubstr("--config /no/such/file: cannot be read: No such file"));
  EXPECT_THAT(refusal([] { load_config({{}, {"/"}, {}, {}}); }), HasSubstr("cannot be read"));
  EXPECT_THAT(refusal([] { load_overrides({"train.epochs"}); }),
              HasSubstr("write section.key=value"));
  EXPECT_THAT(refusal([] { load_overrides({"train=3"}); }), HasSubstr("not one value"));
}

TEST(LoadConfig, AnAliasBombDoesNotGrow) {
  std::string text = "model: {hidden: [*g]}\n";
  std::string bomb = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (char name = 'b'; name <= 'i'; ++name) {
    const std::string below(1, static_cast<char>(name - 1));
    bomb += std::string(1, name) + ": &" + name + " [*" + below + ", *" + below + ", *" + below +
            ", *" + below + ", *" + below + ", *" + below + ", *" + below + ", *" + below + "]\n";
  }
  EXPECT_THAT(refusal([&] { load_text(bomb + text); }), HasSubstr("line 1: unknown key a"));
}

TEST(LoadConfig, ReadsAnEmptyDocumentAsNoSettings) {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "{}", "~"}) {
    EXPECT_EQ(resolved(load_text(text)), resolved(load_config({}))) << text;
  }
}

}  // namespace
}  // namespace lockstep
