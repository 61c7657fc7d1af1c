# LibTorch and the one precompiled header of the files that use it.
include(${PROJECT_SOURCE_DIR}/cmake/LibTorch.cmake)
