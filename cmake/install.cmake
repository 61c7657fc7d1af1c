# What the images ship: the Dockerfiles and docker/build install the components `operator` and `trainer`.
if(TARGET lockstep-operator)
  install(TARGETS lockstep-operator COMPONENT operator)
endif()
if(TARGET lockstep-launch)
  install(TARGETS lockstep-launch COMPONENT trainer)
  install(TARGETS lockstep-launch COMPONENT operator)  # from there it is injected into other images
endif()
if(TARGET lockstep-train)
  # In the image LibTorch is beside the programs, see docker/libtorch_runtime.sh.
  set_target_properties(lockstep-train PROPERTIES INSTALL_RPATH "$ORIGIN/../torch/lib")
  install(TARGETS lockstep-train COMPONENT trainer)
endif()
if(TARGET kubectl-lockstep)
  # For people, not for images: kubectl finds both by their names in PATH.
  install(TARGETS kubectl-lockstep COMPONENT plugin)
  install(FILES $<TARGET_FILE_DIR:kubectl-lockstep>/kubectl_complete-lockstep TYPE BIN COMPONENT plugin)
endif()
