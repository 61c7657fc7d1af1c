# find_package(lockstep-model) defines lockstep::model, to be linked by a shared library with a model of one's own.
# -DLOCKSTEP_LIBTORCH_DIR=... names the LibTorch to use; it must be the version that lockstep-train has.
set(LOCKSTEP_LIBTORCH_ALONE ON)  # such a library talks to no other rank: it needs no Gloo
include(${CMAKE_CURRENT_LIST_DIR}/LibTorch.cmake)
get_filename_component(prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
add_library(lockstep::model INTERFACE IMPORTED)
target_compile_features(lockstep::model INTERFACE cxx_std_20)
target_include_directories(lockstep::model INTERFACE ${prefix}/include/lockstep)
# Only the entry point is seen from outside. lockstep-train's own functions would else stand in for those of the same
# names in this library and in the static ones that it links, as of another version of one that both use.
target_compile_options(lockstep::model INTERFACE -fvisibility=hidden)
target_link_options(lockstep::model INTERFACE -Wl,--exclude-libs,ALL)
target_link_libraries(lockstep::model INTERFACE lockstep_torch)
