# lockstep-train: the training loop, the torch files of folders that are otherwise free of torch, and
# the program.
lockstep_library(lockstep_trainer
  SOURCES data/source.cc data/torch_images.cc state/torch_tensors.cc optim/sgd.cc
          plan.cc progress.cc mean_loss.cc eval.cc checkpoints.cc trainer.cc
          run.cc stop_signal.cc exit_code.cc
  USES lockstep_config lockstep_schedule lockstep_data lockstep_state lockstep_group lockstep_ddp lockstep_model lockstep_status)
use_torch(lockstep_trainer)
add_executable(lockstep-train main.cc)
target_link_libraries(lockstep-train PRIVATE lockstep_trainer)
use_torch(lockstep-train)
set_target_properties(lockstep-train PROPERTIES ENABLE_EXPORTS ON)  # function names in stacks
