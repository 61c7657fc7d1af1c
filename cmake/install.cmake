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
if(TARGET lockstep_ddp)
  # find_package(lockstep-ddp): DistributedDataParallel for other programs, see examples/ddp.
  install(TARGETS lockstep_ddp lockstep_group lockstep_place ARCHIVE DESTINATION lib/lockstep COMPONENT ddp)
  foreach(header config/ddp_config.h ddp/distributed_data_parallel.h group/group.h group/peer_lost.h group/place.h)
    get_filename_component(room ${header} DIRECTORY)
    install(FILES trainer/${header} DESTINATION include/lockstep/trainer/${room} COMPONENT ddp)
  endforeach()
  install(FILES cmake/lockstep-ddp-config.cmake cmake/LibTorch.cmake DESTINATION lib/cmake/lockstep-ddp COMPONENT ddp)
endif()
