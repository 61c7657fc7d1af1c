# LibTorch as imported targets over the unpacked torch wheel, or over the official libtorch archive.
#   lockstep_torch  what a target that uses LibTorch links
# Also installed with lockstep-ddp and lockstep-model, whose users need the same; the first to include it decides.
# find_package(Torch) is not used: with a CUDA build of LibTorch it demands nvcc.

if(TARGET lockstep_torch)
  return()
endif()

set(LOCKSTEP_LIBTORCH_DIR "" CACHE PATH "Folder with torch/lib and torch/include, or with lib and include")
set(LOCKSTEP_CUDA_DIR "" CACHE PATH "Folder with the headers of CUDA and NCCL, as setup/cuda.sh makes it")
if(DEFINED ENV{XDG_CACHE_HOME})
  set(cache_root $ENV{XDG_CACHE_HOME}/lockstep)
else()
  set(cache_root $ENV{HOME}/.cache/lockstep)
endif()

# first_set(out a b c): the first that is not empty, so a setting beats its variable beats the default.
function(first_set out)
  foreach(value ${ARGN})
    if(value)
      set(${out} ${value} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

first_set(torch_root "${LOCKSTEP_LIBTORCH_DIR}" "$ENV{LOCKSTEP_LIBTORCH_DIR}" ${cache_root}/libtorch)
if(EXISTS ${torch_root}/torch/lib/libtorch_cpu.so)
  set(torch_root ${torch_root}/torch)
elseif(NOT EXISTS ${torch_root}/lib/libtorch_cpu.so)
  message(FATAL_ERROR "no LibTorch in ${torch_root}: run setup/libtorch.sh, name a folder with "
    "-DLOCKSTEP_LIBTORCH_DIR=..., or leave it out with -DLOCKSTEP_TORCH=OFF")
endif()
file(REAL_PATH ${torch_root} torch_root)
if(NOT LOCKSTEP_LIBTORCH_ALONE)
  find_path(GLOO_INCLUDE_DIR gloo/algorithm.h REQUIRED)  # headers only: the code is inside libtorch_cpu
endif()

# imported(name): the shared library lib<name>.so of LibTorch.
function(imported name)
  add_library(torch::${name} SHARED IMPORTED)
  set_target_properties(torch::${name} PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/lib${name}.so)
endfunction()

imported(c10)
imported(torch_cpu)
add_library(lockstep_torch INTERFACE)
target_include_directories(lockstep_torch SYSTEM INTERFACE
  ${torch_root}/include ${torch_root}/include/torch/csrc/api/include)
if(GLOO_INCLUDE_DIR)
  target_include_directories(lockstep_torch SYSTEM INTERFACE ${GLOO_INCLUDE_DIR})
  target_compile_definitions(lockstep_torch INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
endif()
# Operators register themselves when a library is loaded, so no library may be dropped as unused.
target_link_options(lockstep_torch INTERFACE -Wl,--no-as-needed -Wl,--allow-shlib-undefined)
target_link_libraries(lockstep_torch INTERFACE torch::torch_cpu torch::c10)

if(LOCKSTEP_CUDA)
  first_set(cuda_root "${LOCKSTEP_CUDA_DIR}" "$ENV{LOCKSTEP_CUDA_DIR}" ${cache_root}/cuda)
  if(NOT EXISTS ${cuda_root}/nvidia/nccl/include/nccl.h)
    message(FATAL_ERROR "no NCCL headers in ${cuda_root}: run setup/cuda.sh or name a folder with "
      "-DLOCKSTEP_CUDA_DIR=...")
  endif()
  file(REAL_PATH ${cuda_root} cuda_root)
  imported(torch_cuda)
  imported(c10_cuda)
  add_library(torch::nccl SHARED IMPORTED)
  set_target_properties(torch::nccl PROPERTIES IMPORTED_LOCATION ${cuda_root}/nvidia/nccl/lib/libnccl.so.2)
  target_include_directories(lockstep_torch SYSTEM INTERFACE
    ${cuda_root}/nvidia/cu13/include ${cuda_root}/nvidia/cu13/include/cccl
    ${cuda_root}/nvidia/nccl/include)
  target_compile_definitions(lockstep_torch INTERFACE USE_C10D_NCCL)
  target_link_libraries(lockstep_torch INTERFACE torch::torch_cuda torch::c10_cuda torch::nccl)
endif()
