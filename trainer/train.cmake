# lockstep_optim: the part of optim/ that needs torch.
lockstep_library(lockstep_optim
  SOURCES optim/average.cc optim/clip.cc optim/grad_scaler.cc optim/mixed_batch.cc optim/optimizer.cc optim/update.cc
  USES lockstep_schedule)
use_torch(lockstep_optim)

# lockstep-train: the training loop, the torch files of folders that are otherwise free of torch, and
# the program.
lockstep_library(lockstep_trainer
  SOURCES state/torch_tensors.cc state/torch_weights.cc
          progress.cc loss.cc mean_loss.cc precision.cc learner.cc eval.cc checkpoints.cc trainer.cc
          run.cc stop_signal.cc exit_code.cc
  USES lockstep_config lockstep_train_plan lockstep_optim lockstep_data lockstep_state lockstep_group lockstep_ddp lockstep_batches lockstep_model lockstep_status lockstep_watch)
use_torch(lockstep_trainer)
add_executable(lockstep-train main.cc)
target_link_libraries(lockstep-train PRIVATE lockstep_trainer lockstep_export)
use_torch(lockstep-train)
set_target_properties(lockstep-train PROPERTIES ENABLE_EXPORTS ON)  # function names in stacks
