// What rank 0 writes down while a run goes on: metrics.jsonl and TensorBoard's events.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "trainer/watch/figures.h"
#include "trainer/watch/patient_file.h"

namespace lockstep {

struct MetricsSettings {
  std::filesystem::path directory{};  // of the files; empty: write nothing
  bool tensorboard = true;            // events.out.tfevents.*, beside metrics.jsonl
};

// Both files get whole records with one write each, so that a killed run leaves whole ones. A run
// that goes on after `start.step` steps takes away what the file tells of later ones, and tells
// TensorBoard to do so. Trouble with the files never ends a training: see PatientFile.
// One thread. Made after checkpoints were looked at, since those say where a run goes on.
class MetricsLog {
 public:
  using Clock = std::function<double()>;  // seconds since 1970

  // `tell` gets the warnings.
  MetricsLog(const MetricsSettings& settings, const StartFigures& start, PatientFile::Tell tell,
             Clock clock = seconds_since_1970);

  void train(const TrainFigures& figures) { write(figures); }
  void val(const ValFigures& figures) { write(figures); }

  // Before a checkpoint is published: what was told of its steps must not be lost where it is not.
  void sync();

  static double seconds_since_1970();

 private:
  template <typename AnyFigures>
  void write(const AnyFigures& figures);

  Clock clock_;
  std::unique_ptr<PatientFile> lines_, events_;  // null: not wished
};

}  // namespace lockstep
