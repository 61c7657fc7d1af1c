# find_package(lockstep-ddp) defines lockstep::ddp, to be linked: DistributedDataParallel for a training loop of one's own.
# -DLOCKSTEP_LIBTORCH_DIR=... names the LibTorch to use; it must be the version that lockstep was built with.
find_package(Threads REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/LibTorch.cmake)
get_filename_component(prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
add_library(lockstep::ddp INTERFACE IMPORTED)
target_compile_features(lockstep::ddp INTERFACE cxx_std_20)
target_include_directories(lockstep::ddp INTERFACE ${prefix}/include/lockstep)
target_link_libraries(lockstep::ddp INTERFACE ${prefix}/lib/lockstep/liblockstep_ddp.a
  ${prefix}/lib/lockstep/liblockstep_group.a ${prefix}/lib/lockstep/liblockstep_place.a lockstep_torch Threads::Threads)
