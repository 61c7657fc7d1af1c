# LibTorch, and the one precompiled header of the files that use it: a plain torch file costs a minute.
#   use_torch(name) links LibTorch and reuses the header
include(${PROJECT_SOURCE_DIR}/cmake/LibTorch.cmake)

add_library(lockstep_torch_header STATIC ${PROJECT_SOURCE_DIR}/trainer/torch.cc)
target_link_libraries(lockstep_torch_header PUBLIC lockstep_torch lockstep_flags)
target_compile_options(lockstep_torch_header PRIVATE -fpch-preprocess)  # ccache needs it with GCC
target_precompile_headers(lockstep_torch_header PRIVATE <trainer/torch.h>)  # no path of this checkout: ccache shares it

function(use_torch name)
  target_link_libraries(${name} PUBLIC lockstep_torch)
  target_compile_options(${name} PRIVATE -fpch-preprocess)
  target_precompile_headers(${name} REUSE_FROM lockstep_torch_header)
endfunction()
