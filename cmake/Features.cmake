# Features whose libraries may be missing. KBSIM_HAS_<library> says whether one is there; without it, rooms compile a
# file no_*.cpp in place of the files that need it, which refuses the feature and names its packages.

# kbsim_feature(sqlite SQLite3_FOUND "sweeps" libsqlite3-dev): whether the library is there, by the variable.
function(kbsim_feature library is_there what)
  set(KBSIM_HAS_${library} "${${is_there}}" PARENT_SCOPE)
  if(NOT ${is_there})
    list(JOIN ARGN " " packages)
    message(STATUS "Without ${library}, kbsim refuses ${what}; Debian packages: ${packages}")
  endif()
endfunction()

# kbsim_files_with(sqlite src/no_database.cpp src/database.cpp...): before kbsim_room; the file in place of those that
# need the library, and these.
macro(kbsim_files_with library substitute)
  if(KBSIM_HAS_${library})
    list(APPEND KBSIM_LEFT_OUT ${substitute})
  else()
    list(APPEND KBSIM_LEFT_OUT ${ARGN})
  endif()
  list(TRANSFORM KBSIM_LEFT_OUT PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^src/")
endmacro()

# Linked into the command: a shared library more costs each start hundreds of thousands of instructions.
set(Protobuf_USE_STATIC_LIBS ON)
find_package(Protobuf QUIET)
if(Protobuf_FOUND AND Protobuf_PROTOC_EXECUTABLE)
  set(has_protoc ON)
endif()
find_library(KBSIM_PUGIXML libpugixml.a)
find_package(SQLite3 QUIET)

kbsim_feature(protobuf has_protoc "traces of Perfetto and Chakra" libprotobuf-dev protobuf-compiler)
kbsim_feature(pugixml KBSIM_PUGIXML "collective plans in XML" libpugixml-dev)
kbsim_feature(sqlite SQLite3_FOUND "sweeps" libsqlite3-dev)

# kbsim_protobuf(trace src/perfetto.proto): the schema's code is made at build time; it isn't ours to warn of.
function(kbsim_protobuf room schema)
  protobuf_generate_cpp(source header ${CMAKE_CURRENT_SOURCE_DIR}/${schema})
  target_sources(kbsim_${room} PRIVATE ${source} ${header})
  target_link_libraries(kbsim_${room} PRIVATE protobuf::libprotobuf-lite)
  target_include_directories(kbsim_${room} SYSTEM PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -w SKIP_UNITY_BUILD_INCLUSION ON
                                                   SKIP_PRECOMPILE_HEADERS ON)
endfunction()
