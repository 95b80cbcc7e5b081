# A room is one target with its own include root: what a room doesn't link, it can't include.
#
#   kbsim_room(sim [OBJECT] ROOMS base THIRD_PARTY fmt::fmt PRIVATE_THIRD_PARTY Eigen3::Eigen)
#
# Sources are src/**.cpp and public headers include/kbsim/<room>/**.hpp of the calling folder. OBJECT
# is for rooms whose files register themselves: a linker drops such files from a static archive.
function(kbsim_room name)
  cmake_parse_arguments(ROOM "OBJECT" "" "ROOMS;THIRD_PARTY;PRIVATE_THIRD_PARTY" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/*.hpp)
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
  kbsim_install_room(${name})
endfunction()
