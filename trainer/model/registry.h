// The models that a configuration can name.
#pragma once

#include <cstdint>
#include <memory>

#include "trainer/config/config.h"
#include "trainer/model/model.h"

namespace lockstep {

// A new model on the CPU, with random weights from `seed`, the same on every rank; those of
// `torchscript` are the file's. Throws std::invalid_argument for an unknown name, naming the
// nearest known one, for data that the model cannot take, and for a model.file that is none.
std::shared_ptr<Model> make_model(const ModelConfig& config, const DataShape& shape,
                                  std::uint64_t seed);

// Throws std::invalid_argument unless the data is of the kind that `model` takes.
void require_kind(const std::string& model, SampleKind takes, const DataShape& shape);

// One factory a family, each in its own file.
std::shared_ptr<Model> make_mlp(const ModelConfig& config, const DataShape& shape);
std::shared_ptr<Model> make_lenet(const ModelConfig& config, const DataShape& shape);
std::shared_ptr<Model> make_resnet(const ModelConfig& config, const DataShape& shape);
std::shared_ptr<Model> make_char_gpt(const ModelConfig& config, const DataShape& shape);
std::shared_ptr<Model> make_text_classifier(const ModelConfig& config, const DataShape& shape);
std::shared_ptr<Model> make_plugin_model(const ModelConfig& config, const DataShape& shape);
std::shared_ptr<Model> make_script_model(const ModelConfig& config, const DataShape& shape);

}  // namespace lockstep
