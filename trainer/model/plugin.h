// A model of one's own, in a shared library that lockstep-train loads (model.name: plugin).
// Installed; it includes LibTorch and the two headers beside it, nothing else of lockstep.
//
//   class MyModel : public lockstep::Model { ... };
//   std::shared_ptr<lockstep::Model> make(const lockstep::ModelRequest& request) {
//     return std::make_shared<MyModel>(request.shape.classes);
//   }
//   LOCKSTEP_MODEL(lockstep::SampleKind::kPictures, make)
#pragma once

#include <torch/version.h>

#include <cstdint>
#include <memory>
#include <string>

#include "trainer/batches/batch.h"
#include "trainer/model/model.h"

namespace lockstep {

// Raised whenever a type below, Model, Batch or DataShape changes its layout.
inline constexpr std::uint32_t kModelPluginVersion = 1;

struct ModelRequest {
  DataShape shape;      // of data.train
  std::string options;  // model.options as it was written
};

// What a library says about itself. A loader reads `version` first and nothing else if it differs.
struct ModelPlugin {
  std::uint32_t version;
  const char* libtorch;  // that it was compiled with
  SampleKind takes;
  // A new model, on the CPU; torch's random numbers are seeded before, equally on all ranks. What
  // it throws ends the run as a fault of the settings, exit 64, with the exception's text.
  std::shared_ptr<Model> (*make)(const ModelRequest& request);
};

}  // namespace lockstep

// The entry point, once in a library: which samples the model takes, and the function that makes
// it.
#define LOCKSTEP_MODEL(takes, make)                                                                \
  extern "C" __attribute__((visibility("default"))) const lockstep::ModelPlugin*                   \
  lockstep_model_plugin() {                                                                        \
    static const lockstep::ModelPlugin plugin{lockstep::kModelPluginVersion, TORCH_VERSION, takes, \
                                              make};                                               \
    return &plugin;                                                                                \
  }
