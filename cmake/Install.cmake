# Files that `cmake --install` installs: the command and its configs; in the component `dev`, for building with kbsim,
# the headers of all rooms, one library of all rooms, and a package for find_package(kbsim).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME kbsim)
set(KBSIM_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kbsim)

# The first installed item is this check: cmake's own error for a moved build folder doesn't say what to do.
install(CODE "
if(NOT EXISTS \"${PROJECT_BINARY_DIR}/cmake_install.cmake\")
  message(FATAL_ERROR \"This build folder was made as ${PROJECT_BINARY_DIR}, and is elsewhere now. Remove it, \"
                      \"and build again.\")
endif()" ALL_COMPONENTS)

# The second check: a build of the command alone lacks some installed files.
function(kbsim_require_built component)
  install(CODE "
set(files \"${ARGN}\")
foreach(file IN LISTS files)
  if(NOT EXISTS \"\${file}\")
    message(FATAL_ERROR \"This isn't built: \${file}. Build all that is installed first:\\n\"
                        \"  cmake --build ${PROJECT_BINARY_DIR} --target kbsim_installable\")
  endif()
endforeach()" COMPONENT ${component})
endfunction()
set(documents ${PROJECT_BINARY_DIR}/documents)
kbsim_require_built(kbsim $<TARGET_FILE:kbsim> ${documents}/kbsim.1 ${documents}/kbsim.bash ${documents}/_kbsim)
kbsim_require_built(dev $<TARGET_FILE:kbsim_archive>)
kbsim_require_built(mpi $<$<TARGET_EXISTS:kbsim_mpi>:$<TARGET_FILE:kbsim_mpi>>)

# The headers of a target, and its objects as a part of libkbsim.a. A room isn't a target of the package: its library
# alone would lack the files that register themselves (docs/adr/0053).
function(kbsim_install_room name)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/include) # a room may have no headers for others
    install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
  endif()
  get_target_property(type kbsim_${name} TYPE)
  if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
    set_property(GLOBAL APPEND PROPERTY KBSIM_INSTALLED_ROOMS ${name})
  endif()
endfunction()

function(kbsim_install_archive)
  get_property(rooms GLOBAL PROPERTY KBSIM_INSTALLED_ROOMS)
  add_library(kbsim_archive STATIC)
  foreach(room ${rooms})
    target_sources(kbsim_archive PRIVATE $<TARGET_OBJECTS:kbsim_${room}>)
  endforeach()
  set_target_properties(kbsim_archive PROPERTIES OUTPUT_NAME kbsim LINKER_LANGUAGE CXX)
  install(TARGETS kbsim_archive COMPONENT dev)
endfunction()

# kbsim::kernel: headers alone, for a shared object of kernels, whose symbols are found in the command that loads it.
# kbsim::kbsim: all of libkbsim.a, whichever parts a program names, and the place of the configs.
function(kbsim_export_targets)
  add_library(kbsim_kernel INTERFACE)
  target_include_directories(kbsim_kernel INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(kbsim_kernel INTERFACE cxx_std_20)
  target_link_libraries(kbsim_kernel INTERFACE Boost::headers Boost::json)

  set(archive $<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/libkbsim.a)
  set(configs $<INSTALL_PREFIX>/${CMAKE_INSTALL_DATADIR}/kbsim/configs)
  add_library(kbsim_program INTERFACE)
  if(KBSIM_HAS_protobuf)
    set(protobuf protobuf::libprotobuf-lite)
  endif()
  target_link_libraries(kbsim_program INTERFACE kbsim_kernel
                        $<INSTALL_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,${archive}>>
                        fmt::fmt yaml-cpp ${protobuf} Threads::Threads)
  target_compile_definitions(kbsim_program INTERFACE $<INSTALL_INTERFACE:KBSIM_INSTALLED_CONFIGS="${configs}">)
  set_target_properties(kbsim_kernel PROPERTIES EXPORT_NAME kernel)
  set_target_properties(kbsim_program PROPERTIES EXPORT_NAME kbsim)
  install(TARGETS kbsim_kernel kbsim_program EXPORT kbsim)
  install(EXPORT kbsim NAMESPACE kbsim:: FILE kbsimTargets.cmake DESTINATION ${KBSIM_PACKAGE_DIR} COMPONENT dev)
endfunction()

function(kbsim_install_package)
  kbsim_install_archive()
  kbsim_export_targets()
  get_property(rooms GLOBAL PROPERTY KBSIM_INSTALLED_ROOMS)
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/kbsimConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  configure_package_config_file(cmake/kbsimConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/kbsimConfig.cmake
                                INSTALL_DESTINATION ${KBSIM_PACKAGE_DIR})
  install(FILES cmake/RequireCompiler.cmake ${CMAKE_CURRENT_BINARY_DIR}/kbsimConfig.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/kbsimConfigVersion.cmake
          DESTINATION ${KBSIM_PACKAGE_DIR} COMPONENT dev)
  install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/kbsim/configs)
endfunction()

# The target `kbsim_installable`: all that `cmake --install` takes, and no tests.
function(kbsim_installable)
  add_custom_target(kbsim_installable DEPENDS kbsim kbsim_archive kbsim_documents)
  if(TARGET kbsim_mpi)
    add_dependencies(kbsim_installable kbsim_mpi)
  endif()
endfunction()
