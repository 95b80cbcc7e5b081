# Headers of others that most files use, compiled once for all rooms and once for tests and command. Files include what
# they use as before: test/lint/standard_headers.py asks it of public headers, and with CMAKE_DISABLE_PRECOMPILE_HEADERS
# the compiler checks it for all files.
set(KBSIM_COMMON_HEADERS
    <algorithm> <any> <array> <atomic> <charconv> <chrono> <cmath> <coroutine> <cstdint> <deque> <filesystem>
    <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <random> <ranges> <set> <source_location> <span>
    <string> <string_view> <type_traits> <unordered_map> <utility> <variant> <vector>
    <boost/container/small_vector.hpp> <boost/json/object.hpp> <boost/unordered/unordered_flat_map.hpp>
    <fmt/format.h> <fmt/ranges.h>)

# Headers of ours that many headers and files include, and their room: precompiled for the files that include them.
set(KBSIM_DEEP_HEADERS sim=kbsim/sim/simulation.hpp hw_fabric=kbsim/hw/fabric/message.hpp hw_machine=kbsim/hw/machine.hpp)

# The targets that carry them: kbsim_common_headers, and a kbsim_deep_<header> each, with the common ones, too.
function(kbsim_precompile_headers)
  add_library(kbsim_common_headers OBJECT ${PROJECT_SOURCE_DIR}/cmake/common_headers.cpp)
  target_link_libraries(kbsim_common_headers PRIVATE fmt::fmt Boost::headers)
  target_precompile_headers(kbsim_common_headers PRIVATE ${KBSIM_COMMON_HEADERS})
  foreach(deep ${KBSIM_DEEP_HEADERS})
    string(REGEX REPLACE "(.+)=(.+)" "\\1;\\2" deep ${deep})
    list(POP_FRONT deep room)
    cmake_path(GET deep STEM stem)
    add_library(kbsim_deep_${stem} OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/common_headers.cpp)
    target_link_libraries(kbsim_deep_${stem} PRIVATE fmt::fmt Boost::headers)
    target_include_directories(kbsim_deep_${stem} PRIVATE $<TARGET_PROPERTY:kbsim_${room},INTERFACE_INCLUDE_DIRECTORIES>)
    target_precompile_headers(kbsim_deep_${stem} PRIVATE ${KBSIM_COMMON_HEADERS} <${deep}>)
  endforeach()
endfunction()

# Rooms whose files include the machine, mostly: its headers are precompiled for them.
set(KBSIM_ROOMS_OVER_MACHINE hw_memory hw_control hw_pe hw_traffic hw_shortcut host explain report evaluate llm)
# Where a run spends its time.
set(KBSIM_BUSY_ROOMS sim oplog replay hw_fabric hw_memory hw_pe hw_shortcut)
# Where a run spends no time: readers and writers, and planning of many runs.
set(KBSIM_COLD_ROOMS signals models config inputs mock report trace page explain evaluate sweep llm)

# A room is one target with its own include root: what a room doesn't link, it can't include.
#
#   kbsim_room(sim [OBJECT] ROOMS base THIRD_PARTY fmt::fmt PRIVATE_THIRD_PARTY Eigen3::Eigen)
#
# Sources are src/**.cpp and public headers include/kbsim/<room>/**.hpp of the calling folder. OBJECT
# is for rooms whose files register themselves: a linker drops such files from a static archive. COMMAND is for a
# room that the command alone has: it isn't installed for programs of one's own.
function(kbsim_room name)
  cmake_parse_arguments(ROOM "OBJECT;COMMAND" "" "ROOMS;THIRD_PARTY;PRIVATE_THIRD_PARTY" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/*.hpp)
  list(REMOVE_ITEM sources ${KBSIM_LEFT_OUT} "")
  if(ROOM_OBJECT)
    add_library(kbsim_${name} OBJECT ${sources})
  else()
    add_library(kbsim_${name} STATIC ${sources})
  endif()
  add_library(kbsim::${name} ALIAS kbsim_${name})
  target_sources(kbsim_${name} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${headers})
  target_include_directories(kbsim_${name} PRIVATE src)
  target_compile_features(kbsim_${name} PUBLIC cxx_std_20)
  list(TRANSFORM ROOM_ROOMS PREPEND kbsim_)
  target_link_libraries(kbsim_${name} PUBLIC ${ROOM_ROOMS} ${ROOM_THIRD_PARTY}
                                      PRIVATE ${ROOM_PRIVATE_THIRD_PARTY})
  set(carrier kbsim_common_headers)
  if(name IN_LIST KBSIM_ROOMS_OVER_MACHINE)
    set(carrier kbsim_deep_machine)
  endif()
  target_precompile_headers(kbsim_${name} REUSE_FROM ${carrier})
  if(KBSIM_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND name IN_LIST KBSIM_BUSY_ROOMS)
    target_compile_options(kbsim_${name} PRIVATE -fno-sanitize-address-outline-instrumentation)
  endif()
  if(name IN_LIST KBSIM_COLD_ROOMS)
    kbsim_compile_quickly(kbsim_${name})
  endif()
  kbsim_name_files_from_root(kbsim_${name})
  kbsim_headers_alone(${name} ${headers})
  if(NOT ROOM_COMMAND)
    kbsim_install_room(${name})
  endif()
endfunction()

# Each public header compiles alone: the target `headers_alone`. One file checks a chain of headers (header_chains.py),
# with the libraries that the room of the chain's last header links. Chains are found where CMake configures, as
# scripts/build.sh always does. Rooms name their headers; once all have, kbsim_check_headers_alone() makes the target.
function(kbsim_headers_alone room)
  list(TRANSFORM ARGN PREPEND ${room}=)
  set_property(GLOBAL APPEND PROPERTY KBSIM_PUBLIC_HEADERS ${ARGN})
endfunction()

function(kbsim_check_headers_alone)
  add_custom_target(headers_alone)
  list(TRANSFORM KBSIM_DEEP_HEADERS REPLACE ".+=" "" OUTPUT_VARIABLE all_deep)
  list(JOIN all_deep , all_deep)
  get_property(headers GLOBAL PROPERTY KBSIM_PUBLIC_HEADERS)
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/header_chains.py
                          ${PROJECT_SOURCE_DIR} ${all_deep} ${headers}
                  OUTPUT_VARIABLE chains OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" chains "${chains}")
  foreach(chain ${chains})
    separate_arguments(chain)
    kbsim_chain_alone(${chain})
  endforeach()
endfunction()

# Headers, each of which includes those before it, over a deep one or "-".
function(kbsim_chain_alone deep room)
  list(JOIN ARGN "\"\n#include \"" includes)
  list(GET ARGN -1 last)
  set(source ${PROJECT_BINARY_DIR}/headers_alone/${last}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${includes}\"\n")
  set(target kbsim_${room}_headers)
  set(carrier kbsim_common_headers)
  if(NOT deep STREQUAL "-")
    cmake_path(GET deep STEM stem)
    set(target ${target}_${stem})
    set(carrier kbsim_deep_${stem})
  endif()
  if(NOT TARGET ${target})
    add_library(${target} OBJECT EXCLUDE_FROM_ALL)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    target_link_libraries(${target} PRIVATE kbsim_${room})
    target_precompile_headers(${target} REUSE_FROM ${carrier})
    kbsim_compile_no_code(${target})
    add_dependencies(headers_alone ${target})
  endif()
  target_sources(${target} PRIVATE ${source})
endfunction()

# Rooms under one name: a target that links it sees the headers of all of them and links their objects, also through
# another room.
#
#   kbsim_rooms(hw hw_fabric hw_memory)
function(kbsim_rooms name)
  add_library(kbsim_${name} INTERFACE)
  add_library(kbsim::${name} ALIAS kbsim_${name})
  foreach(room ${ARGN})
    target_link_libraries(kbsim_${name} INTERFACE kbsim_${room})
    target_sources(kbsim_${name} INTERFACE $<TARGET_OBJECTS:kbsim_${room}>)
  endforeach()
endfunction()

# A program links the objects of its rooms before its own, those that are compiled for speed before all others: of an
# inline function that several have, the linker keeps the first. A room that registers itself is linked where it is
# named, or by a name of several rooms.
function(kbsim_link_rooms_first target)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  set(seen "")
  while(libraries)
    list(POP_FRONT libraries library)
    string(REPLACE "kbsim::" "kbsim_" library ${library})
    if(library IN_LIST seen OR NOT library MATCHES "^kbsim_" OR NOT TARGET ${library})
      continue()
    endif()
    list(APPEND seen ${library})
    get_target_property(type ${library} TYPE)
    get_target_property(below ${library} INTERFACE_LINK_LIBRARIES)
    foreach(name ${below})
      if(TARGET ${name})
        get_target_property(type_below ${name} TYPE)
        if(type STREQUAL INTERFACE_LIBRARY OR NOT type_below STREQUAL OBJECT_LIBRARY)
          list(APPEND libraries ${name})
        endif()
      endif()
    endforeach()
    string(REPLACE "kbsim_" "" room ${library})
    if(room IN_LIST KBSIM_COLD_ROOMS)
      list(APPEND cold $<TARGET_OBJECTS:${library}>)
    elseif(NOT type STREQUAL INTERFACE_LIBRARY AND NOT room MATCHES "^test_")
      list(APPEND fast $<TARGET_OBJECTS:${library}>)
    endif()
  endwhile()
  target_sources(${target} PRIVATE ${fast} ${cold})
endfunction()
