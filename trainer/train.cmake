# lockstep_optim: the part of optim/ that needs torch.
lockstep_library(lockstep_optim
  SOURCES optim/average.cc optim/clip.cc optim/grad_scaler.cc optim/mixed_batch.cc optim/optimizer.cc optim/update.cc
  USES lockstep_schedule)
use_torch(lockstep_optim)

# lockstep-train: the training loop, the torch files of folders that are otherwise free of torch, and
# the program.
lockstep_library(lockstep_trainer
  SOURCES state/torch_snapshot.cc state/torch_tensors.cc state/torch_weights.cc state/torch_script.cc
          progress.cc loss.cc mean_loss.cc precision.cc learner.cc patience.cc eval.cc same_settings.cc shape_json.cc
          checkpoints.cc trainer.cc reports.cc export_script.cc
          rehearsal.cc dry_run.cc overfit.cc bench_figures.cc bench_command.cc run.cc stop_signal.cc exit_code.cc
  USES lockstep_config lockstep_train_plan lockstep_optim lockstep_data lockstep_state lockstep_group lockstep_ddp lockstep_batches lockstep_model lockstep_speed lockstep_status lockstep_watch lockstep_export)
use_torch(lockstep_trainer)
lockstep_library(lockstep_doctor_command
  SOURCES doctor/device.cc doctor/training.cc doctor/doctor_command.cc
          doctor/$<IF:$<BOOL:${LOCKSTEP_CUDA}>,cuda,no_cuda>.cc
  USES lockstep_doctor lockstep_trainer)
use_torch(lockstep_doctor_command)
add_executable(lockstep-train main.cc)
target_link_libraries(lockstep-train PRIVATE lockstep_doctor_command lockstep_trainer lockstep_export lockstep_new_plugin lockstep_open_files)
use_torch(lockstep-train)
set_target_properties(lockstep-train PROPERTIES ENABLE_EXPORTS ON)  # function names in stacks
