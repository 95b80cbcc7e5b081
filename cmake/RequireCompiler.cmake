# Compilers that build coroutines right; for kbsim and for kernels outside of it (docs/adr/0001).
set(KBSIM_COMPILER_REMEDY
  "Install clang-19 (apt-get install clang-19) and configure an empty build folder: kbsim itself with "
  "cmake --preset release, what is built against it with -DCMAKE_CXX_COMPILER=clang++-19")

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  message(FATAL_ERROR
    "g++ ${CMAKE_CXX_COMPILER_VERSION} miscompiles C++20 coroutines without a diagnostic "
    "(statements skipped, temporaries freed twice). " ${KBSIM_COMPILER_REMEDY})
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 17)
  message(FATAL_ERROR
    "clang ${CMAKE_CXX_COMPILER_VERSION} is too old, kbsim needs clang 17 or newer. " ${KBSIM_COMPILER_REMEDY})
endif()
