# What `cmake --install` leaves for others: the command, its configs, every room's headers and library, and
# a package that find_package(kbsim) finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(KBSIM_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kbsim)

# As kbsim::<name>; the objects of rooms whose files register themselves lie in a folder of their own.
function(kbsim_install_room name)
  set_target_properties(kbsim_${name} PROPERTIES EXPORT_NAME ${name})
  get_target_property(has_headers kbsim_${name} HEADER_SETS)
  if(has_headers)
    set(headers FILE_SET HEADERS)
  endif()
  install(TARGETS kbsim_${name} EXPORT kbsim OBJECTS DESTINATION ${CMAKE_INSTALL_LIBDIR}/kbsim ${headers})
endfunction()

function(kbsim_install_package)
  # A shared object of kernels needs the headers alone: its symbols are found in the command that loads it.
  add_library(kbsim_kernel INTERFACE)
  target_include_directories(kbsim_kernel INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(kbsim_kernel INTERFACE cxx_std_20)
  target_link_libraries(kbsim_kernel INTERFACE Boost::headers Boost::json)
  kbsim_install_room(kernel)

  install(EXPORT kbsim NAMESPACE kbsim:: FILE kbsimTargets.cmake DESTINATION ${KBSIM_PACKAGE_DIR})
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/kbsimConfigVersion.cmake
                                   COMPATIBILITY ExactVersion)
  configure_package_config_file(cmake/kbsimConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/kbsimConfig.cmake
                                INSTALL_DESTINATION ${KBSIM_PACKAGE_DIR})
  install(FILES cmake/RequireCompiler.cmake ${CMAKE_CURRENT_BINARY_DIR}/kbsimConfig.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/kbsimConfigVersion.cmake DESTINATION ${KBSIM_PACKAGE_DIR})
  install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/kbsim/configs)
endfunction()
