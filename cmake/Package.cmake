# Debian packages of the installed files, by `cpack -G DEB` in the build folder: kbsim to run, kbsim-dev to build
# with, and python3-kbsim to run from Python. scripts/package.sh makes them.

function(kbsim_package)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_CONTACT "kbsim developers" CACHE STRING "Maintainer of the packages")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_COMPONENTS_ALL kbsim dev python)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)

  set(CPACK_COMPONENT_KBSIM_DESCRIPTION "The command, configs of machines, documents and examples.")
  set(CPACK_DEBIAN_KBSIM_PACKAGE_NAME kbsim)
  set(CPACK_DEBIAN_KBSIM_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_KBSIM_PACKAGE_RECOMMENDS gnuplot-nox)

  set(boost ${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR})
  set(depends "kbsim (= ${PROJECT_VERSION})" libfmt-dev libyaml-cpp-dev libboost${boost}-dev
      libboost-json${boost}-dev libboost-container${boost}-dev libprotobuf-dev)
  list(JOIN depends ", " depends)
  set(CPACK_COMPONENT_DEV_DESCRIPTION
      "Headers, the library and the CMake package, for kernels, machines and programs of one's own.")
  set(CPACK_DEBIAN_DEV_PACKAGE_NAME kbsim-dev)
  set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "clang-19, cmake (>= 3.24)")

  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Runs kbsim from Python, with results as pandas frames.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-kbsim)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "kbsim (= ${PROJECT_VERSION}), python3 (>= 3.9), python3-pandas")
  include(CPack)
endfunction()
