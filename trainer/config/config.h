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

#include "trainer/config/ddp_config.h"

namespace lockstep {

// The user's fault: one sentence that says what, where and what to write instead. Exit code 64.
struct ConfigError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct ModelConfig {
  std::string name = "lenet";       // a name of the model registry, plugin or torchscript
  std::string file{};               // plugin: the shared library; torchscript: the saved module
  std::string options{};            // plugin: a text for the library alone
  std::string weights{};            // safetensors file to start from; empty: random weights
  bool new_head = false;            // weights may be of another number of classes
  int num_classes = 0;              // 0: as many as the training data has
  std::vector<int> hidden = {128};  // mlp: width of each hidden layer, may be empty
  bool batch_norm = true;           // lenet: batch norm after each convolution
  std::string stem = "auto";        // resnet: imagenet | small; auto: small up to 64 x 64 pixels
  int width = 128;                  // char-gpt, text-classifier: of each token's vector
  int layers = 2;                   // char-gpt: blocks; text-classifier: GRU layers
  int heads = 4;                    // char-gpt: attention heads, a divisor of width
  double dropout = 0;               // char-gpt, text-classifier
};

// Where samples come from; docs/training.md has a table. A file name is looked up in `path`, as it
// is and then with ".gz". Without a path, data.val takes what data.holdout takes from data.train,
// or the other files of its folder where the format has them (idx, cifar10, cifar100).
struct SourceConfig {
  std::string format{};  // idx | cifar10 | cifar100 | folder | csv | records | lines | text |
                         // tokens16 | tokens32 | synthetic; data.val.format defaults to train's
  std::string path{};    // a directory, or the file of csv, lines, text and tokens
  std::string images{};  // idx file [samples, rows, columns] of uint8
  std::string labels{};  // idx file [samples] of uint8
  std::string label_column{};  // csv: its name or number; empty: the last
  int samples = 1024;          // synthetic: how many
};

// How an epoch is dealt to ranks. Lists belong to one method and are refused under another.
struct SamplerConfig {
  std::string name = "distributed";  // length_bucket | repeat_factor | weighted | multigrid
  std::vector<int> up_to{};          // length_bucket: the longest of each bucket but the last
  std::vector<int> batch{};          // length_bucket: samples per rank, one more than up_to;
                                     // empty = cut from train.batch_size, the same in each bucket
  int window = 16;                   // length_bucket: batches of all ranks sorted together
  double threshold = 0.001;          // repeat_factor: repeat classes of a smaller share
  std::string weights = "classes";   // weighted: classes (all equal) | samples (the data's own)
  bool short_cycle = true;           // multigrid: another crop each batch
  std::vector<int> long_cycle{};     // multigrid: epochs, from 0, that begin with the next clip
};

// What makes a picture look different in each epoch, with torchvision's meanings. Formats folder,
// cifar10 and cifar100.
struct AugmentConfig {
  std::string crop = "none";  // none | resized (RandomResizedCrop) | padded (RandomCrop)
  int padding = 4;            // padded: black pixels on each side before the crop
  bool flip = false;          // left and right exchanged, half of the time
  double brightness = 0, contrast = 0, saturation = 0, hue = 0;  // ColorJitter
  int operations = 0;                                            // of RandAugment
  int magnitude = 9;                                             // of RandAugment
  double erasing = 0;                                            // probability of RandomErasing
};

struct DataConfig {
  SourceConfig train{
      .format = "idx", .images = "train-images-idx3-ubyte", .labels = "train-labels-idx1-ubyte"};
  SourceConfig val{.images = "t10k-images-idx3-ubyte", .labels = "t10k-labels-idx1-ubyte"};
  bool shuffle = true;       // a new order each epoch, from seed + epoch
  std::string tail = "pad";  // of an epoch, where ranks would have unequally many samples: pad |
                             // drop | join; pad and drop as Python's DistributedSampler
  std::vector<double> mean = {0.2860};  // pixels are scaled to 0..1, then (x - mean) / std;
  std::vector<double> std = {0.3530};   // one number, or one for each channel
  int image_size = 32;                  // folder, cifar: rows and columns that a model sees
  int resize = 32;                      // folder, cifar: the short side before the middle is taken
  AugmentConfig augment;
  int max_damaged = 0;        // folder: unreadable pictures that training passes over
  double holdout = 0.1;       // share of data.train that validates, without data.val
  std::string unit = "word";  // records, lines, text: byte | character | word
  int vocabulary = 50000;     // at most so many different units; tokens16 and tokens32: exactly
  int min_count = 1;          // units that are rarer in the training texts are unknown
  int longest = 1000;         // records, lines: longer texts are cut there, in units
  int context = 128;          // text, tokens16, tokens32: units of a sample
  int threads = 2;            // that make batches ahead; 0 = made when needed
  int ahead = 2;              // batches that wait at most, for each thread
  SamplerConfig sampler;
};

struct TrainConfig {
  int epochs = 2;
  int batch_size = 128;            // GLOBAL: samples per step over all ranks
  int accumulate = 1;              // batches of each rank in a step
  int max_steps = 0;               // stop after so many steps; 0 = after `epochs`
  int eval_batch_size = 1000;      // samples per evaluation batch, whatever the world size
  int eval_every_epochs = 1;       // the last epoch is always evaluated
  std::string precision = "fp32";  // fp32 | bf16 | fp16 (with a gradient scaler): of the compute
  std::string backend = "auto";    // auto | gloo | nccl; auto = nccl when every rank has a device
  bool channels_last = false;      // pictures and weights of convolutions in the order NHWC
  int overfit_batches = 0;         // train and evaluate on so many batches only; 0 = on all
  int verify_every_steps = 1000;   // steps between comparisons of the weights over ranks; 0 = never
  int first_step_timeout = 600;    // seconds that ranks wait for each other in their first step
  int step_timeout = 0;            // and in a later one; 0 = 20 usual steps, at least 60 seconds
};

struct OptimConfig {
  std::string name = "sgd";  // sgd | adam (decay added to the gradient) | adamw (decay apart)
  double lr = 0.05;
  std::string scale_lr = "none";  // none | linear | sqrt in train.batch_size / base_batch_size
  int base_batch_size = 256;
  double momentum = 0.9;   // sgd
  double dampening = 0.0;  // sgd
  bool nesterov = false;   // sgd
  double beta1 = 0.9;      // adam, adamw
  double beta2 = 0.999;    // adam, adamw
  double eps = 1e-8;       // adam, adamw
  double weight_decay = 0.0;
  bool decay_norm_and_bias = true;  // as torch.optim; false: none for parameters of one dimension
  double clip_norm = 0.0;           // the most that the norm of all gradients may be; 0 = any
  double clip_value = 0.0;          // the most that an element of a gradient may be; 0 = any
  int skip_non_finite = 0;          // steps in a row with a loss or gradient that is no number
  double ema_decay = 0.0;           // evaluate with averaged weights; 0 = no average
  bool ema_warmup = false;          // a short average first: decay at most (1 + n) / (10 + n)
  double label_smoothing = 0.0;     // this share of each target is spread over all classes
  double mixup = 0.0;               // alpha of Beta(alpha, alpha); 0 = off
  double cutmix = 0.0;              // likewise; with both on, each batch takes one of them
};

// What each means to the rate: trainer/optim/schedule.h. At most one of the two warm-up lengths may
// be set.
struct ScheduleConfig {
  std::string name = "cosine";  // constant | multistep | exponential | linear | poly | cosine |
                                // wsd | one_cycle | plateau
  std::string per = "step";     // step | epoch: when the rate changes
  int warmup_steps = 0;
  double warmup_epochs = 0.0;         // fractions are fine
  double warmup_start_lr = 0.0;       // 0 = lr / length
  std::string warmup = "linear";      // linear | gluoncv (its first epoch trains nothing)
  double final_lr = 0.0;              // linear, poly, cosine, wsd: at the end; plateau: the least
  std::vector<int> milestones = {};   // multistep: epochs, rising
  double gamma = 0.1;                 // multistep, exponential, plateau: the factor of a fall
  double power = 1.0;                 // poly
  double decay_fraction = 0.2;        // wsd: the share of the training that the fall takes
  double peak_at = 0.3;               // one_cycle: the share of the training before the peak
  double div_factor = 25.0;           // one_cycle: the first rate is lr / div_factor,
  double final_div_factor = 10000.0;  // the last lr / div_factor / final_div_factor
  std::string metric = "loss";        // loss | accuracy, of the evaluations
  int patience = 10;                  // plateau: evaluations without improvement before a fall
  double threshold = 1e-4;            // plateau: an improvement is a larger share of the best
  int cooldown = 0;                   // plateau: evaluations after a fall that do not count
  int stop_patience = 0;              // end after more evaluations without improvement; 0 = never
  double stop_min_delta = 0.0;        // better by no more than this is no improvement
};

struct CheckpointConfig {
  std::string directory;        // default: CHECKPOINT_DIR; empty = no checkpoints
  int every_epochs = 1;         // 0 = only when told by every_steps, on stop and at the end
  int every_steps = 0;          // 0 = only at epoch ends
  int keep = 3;                 // newest checkpoints kept, at least 1
  int keep_every = 0;           // those whose step is a multiple of this are kept too; 0 = none
  std::string best = "none";    // none | accuracy | loss: keep the best evaluated one too
  std::string resume = "auto";  // auto | never | force (force ignores a changed configuration)
  bool asynchronous = true;     // training goes on while a checkpoint is written
};

struct LogConfig {
  int every_steps = 50;
  std::string directory{};  // of metrics.jsonl and TensorBoard's events; empty: logs/metrics in
                            // checkpoint.directory, or nowhere without that
  bool tensorboard = true;
  double peak_tflops = 0.0;  // of the device, for MFU; 0 = as known for the device, else no MFU
  int profile_at = 0;        // step whose trace is written to the directory; 0 = none
  int profile_steps = 5;     // so many steps from there
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
