# The two ways to declare code in this tree, so that flags stand in one place.

add_library(lockstep_flags INTERFACE)
target_compile_options(lockstep_flags INTERFACE -Wall -Wextra -Wpedantic -Werror -fno-omit-frame-pointer)
target_include_directories(lockstep_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(lockstep_flags INTERFACE LOCKSTEP_VERSION="${LOCKSTEP_VERSION}")
target_link_libraries(lockstep_flags INTERFACE Threads::Threads)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(lockstep_flags INTERFACE -Wthread-safety)
else()
  # TRY is a GNU statement expression; GCC 12 also reports false positives in std::string under -O2.
  target_compile_options(lockstep_flags INTERFACE -Wno-pedantic -Wno-restrict)
endif()
if(LOCKSTEP_SANITIZE)
  target_compile_options(lockstep_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})
  target_link_options(lockstep_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})
endif()

# lockstep_library(NAME SOURCES a.cc ... USES lib ...): one static library, one folder.
function(lockstep_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC lockstep_flags ${ARG_USES})
endfunction()

# lockstep_test(NAME SOURCES a_test.cc ... USES lib ...): one GoogleTest program, each TEST its own ctest.
function(lockstep_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE lockstep_flags ${ARG_USES} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
endfunction()
