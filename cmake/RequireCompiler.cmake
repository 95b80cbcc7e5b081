# Compilers that build coroutines right; for kbsim and for kernels outside of it (docs/adr/0001).

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  message(FATAL_ERROR
    "g++ ${CMAKE_CXX_COMPILER_VERSION} miscompiles C++20 coroutines without a diagnostic "
    "(statements skipped, temporaries freed twice). Install clang-19 (apt-get install clang-19) "
    "and configure with: cmake --preset release")
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 17)
  message(FATAL_ERROR
    "clang ${CMAKE_CXX_COMPILER_VERSION} is too old, kbsim needs clang 17 or newer. "
    "Install clang-19 (apt-get install clang-19) and configure with: cmake --preset release")
endif()
