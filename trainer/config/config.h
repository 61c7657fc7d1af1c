// Everything `lockstep-train` can be told, as typed sections with their defaults.
//
// A configuration is a YAML document (JSON is YAML) of the sections below:
//   model: {name: lenet}
//   data: {train: {path: /data/fashion}}
//   train: {epochs: 2, batch_size: 128}
// Layers are laid over each other, the later one wins per setting:
//   defaults < LOCKSTEP_CONFIG < --config files in order < --set section.key=value in order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep {

// The user's fault: one sentence that says what, where and what to write instead. Exit code 64.
struct ConfigError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct ModelConfig {
  std::string name = "lenet";       // a name of the model registry
  int num_classes = 10;             // 2..100000
  std::vector<int> hidden = {128};  // mlp: width of each hidden layer, may be empty
  bool batch_norm = true;           // lenet: batch norm after each convolution
};

// Where samples come from. A file name is looked up in `path`, as it is and then with ".gz".
struct SourceConfig {
  std::string format = "idx";  // idx | synthetic
  std::string path{};          // directory; data.val.path defaults to data.train.path
  std::string images{};        // idx file [samples, rows, columns] of uint8
  std::string labels{};        // idx file [samples] of uint8
  int samples = 1024;          // synthetic: how many
};

struct DataConfig {
  SourceConfig train{.images = "train-images-idx3-ubyte", .labels = "train-labels-idx1-ubyte"};
  SourceConfig val{.images = "t10k-images-idx3-ubyte", .labels = "t10k-labels-idx1-ubyte"};
  bool shuffle = true;     // a new order each epoch, from seed + epoch
  bool drop_last = false;  // drop the tail of an epoch instead of padding it, as Python's sampler
  double mean = 0.2860;    // pixels are scaled to 0..1, then (x - mean) / std
  double std = 0.3530;
};

struct TrainConfig {
  int epochs = 2;
  int batch_size = 128;          // GLOBAL: samples per step over all ranks
  int max_steps = 0;             // stop after so many steps; 0 = after `epochs`
  int eval_batch_size = 1000;    // samples per evaluation batch, whatever the world size
  int eval_every_epochs = 1;     // the last epoch is always evaluated
  std::string backend = "auto";  // auto | gloo | nccl; auto = nccl when every rank has a device
};

struct OptimConfig {
  std::string name = "sgd";
  double lr = 0.05;
  double momentum = 0.9;
  bool nesterov = false;
  double weight_decay = 0.0;
};

// At most one of the two warm-up lengths may be set.
struct ScheduleConfig {
  std::string name = "cosine";  // constant | cosine
  int warmup_steps = 0;
  double warmup_epochs = 0.0;  // fractions are fine
  double final_lr = 0.0;       // cosine: the rate at the end of training
};

struct DdpConfig {
  double first_bucket_mib = 1.0;
  double bucket_mib = 25.0;
  bool find_unused = false;      // look for parameters that took no part in a step
  bool rebuild_buckets = false;  // Python's way: buckets follow the observed order after step 1
};

struct CheckpointConfig {
  std::string directory;        // default: CHECKPOINT_DIR; empty = no checkpoints
  int every_epochs = 1;         // 0 = only when told by every_steps, on stop and at the end
  int every_steps = 0;          // 0 = only at epoch ends
  int keep = 3;                 // newest checkpoints kept, at least 1
  std::string resume = "auto";  // auto | never | force (force ignores a changed configuration)
};

struct LogConfig {
  int every_steps = 50;
};

struct Config {
  std::uint64_t seed = 1;
  ModelConfig model;
  DataConfig data;
  TrainConfig train;
  OptimConfig optim;
  ScheduleConfig schedule;
  DdpConfig ddp;
  CheckpointConfig checkpoint;
  LogConfig log;
};

// What load_config reads: texts as they came from the environment and the command line.
struct ConfigSources {
  std::string environment;                   // value of LOCKSTEP_CONFIG, may be empty
  std::vector<std::filesystem::path> files;  // --config, each at most 1 MiB
  std::vector<std::string> overrides;        // --set, "train.epochs=3"; the value is YAML
  std::string checkpoint_directory;          // value of CHECKPOINT_DIR, may be empty
};

// Reads and checks a whole configuration. Throws ConfigError for an unknown key (naming the nearest
// valid one), a value of the wrong type or outside its range, and a document that is no YAML.
Config load_config(const ConfigSources& sources);

// The sources of this process: LOCKSTEP_CONFIG and CHECKPOINT_DIR; files and overrides are empty.
ConfigSources environment_sources();

// The whole configuration as YAML that load_config reads back to the same values.
std::string resolved(const Config& config);

// Settings by dotted name, values as resolved() writes them.
using Settings = std::map<std::string, std::string>;

// The settings that shape the training state: seed, model, optimizer, batch size, sampler and how
// samples are read. What may change between runs is left out: where files lie, how long to train,
// the schedule, buckets, evaluation, logging. The content of the data is the dataset's identity:
// the trainer compares that beside this.
Settings state_settings(const Config& config);

// 16 hex digits over state_settings(); equal on every platform.
std::string state_hash(const Config& config);

// The names whose values differ, or that only one side has, in order.
std::vector<std::string> differing(const Settings& left, const Settings& right);

}  // namespace lockstep
