# The compiler, the language and the warnings that every target shares.

include(RequireCompiler)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

option(KBSIM_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(KBSIM_FUZZ "Build test/fuzz, and all of kbsim with coverage for libFuzzer" OFF)
option(KBSIM_WERROR "Warnings are errors" ON)
set(KBSIM_BATCH_SIZE 64 CACHE STRING "Files of a target that are compiled as one; 0: each alone")

if(KBSIM_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE ${KBSIM_BATCH_SIZE})
endif()

# A product of doubles must round the same in every build: no contraction into fused operations.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-qual -Wunused
                    -Woverloaded-virtual -Wimplicit-fallthrough -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Designated initializers leave optional fields at their documented defaults on purpose.
  add_compile_options(-Wno-missing-designated-field-initializers)
  # A precompiled header is identified by its content, so that ccache can reuse what uses it.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
if(KBSIM_WERROR)
  add_compile_options(-Werror)
endif()
if(KBSIM_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(KBSIM_SANITIZE)
  # Without the checks of each member access that AddressSanitizer or the processor makes, too: a ninth of the time.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,object-size,pointer-overflow,vptr
                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # For short build times an access is a call, except in the rooms where a run spends its time (Room.cmake).
    add_compile_options(-fsanitize-address-outline-instrumentation "SHELL:-mllvm -fast-isel")
  endif()
endif()

# Code in which a run spends no time is compiled for short build times: with little optimization, little is inlined, and
# instructions are selected as `-O0` does it. With sanitizers all code is compiled so.
function(kbsim_compile_quickly target)
  set(quickly -O1)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND quickly "SHELL:-mllvm -fast-isel")
    target_compile_options(${target} PRIVATE "SHELL:-mllvm -inline-threshold=25")
  endif()
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${quickly}>")
endfunction()

# The tests' own code isn't optimized, and is linked after the rooms (kbsim_link_rooms_first), which run as fast as
# elsewhere.
function(kbsim_compile_for_test target)
  target_compile_options(${target} PRIVATE "$<$<OR:$<CONFIG:Release>,$<BOOL:${KBSIM_SANITIZE}>>:-O0>")
endfunction()

# For files that only have to compile and are never linked: their objects hold no code.
function(kbsim_compile_no_code target)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -emit-llvm "SHELL:-Xclang -disable-llvm-passes")
  endif()
endfunction()

# Installed code names its files as the repository does, not by its build folder, which std::source_location would give.
function(kbsim_name_files_from_root target)
  target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
endfunction()

# lld links a sanitized test program in less than half of ld's time.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld KBSIM_HAS_LLD)
if(KBSIM_HAS_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# The compiler's own memory in huge pages, if the system gives them on request (glibc's malloc works without them, too):
# this saves up to an eighth of its time. `env` itself, since `cmake -E env` takes ten milliseconds a file.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER env GLIBC_TUNABLES=glibc.malloc.hugetlb=1)
  find_program(KBSIM_CCACHE ccache)
  if(KBSIM_CCACHE)
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1
         ${KBSIM_CCACHE})
  endif()
endif()
