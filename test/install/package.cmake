# cmake -DBUILD=… -DSOURCE=… -DROOMS=… -DCOMPILER=… -DGENERATOR=… -P package.cmake
#
# Packs a built kbsim, unpacks the packages elsewhere, runs the command there, and builds programs with what is there.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
make_folder(kbsim-package)

run("" cpack -G DEB --config ${BUILD}/CPackConfig.cmake -B ${folder})
file(GLOB packages RELATIVE ${folder} ${folder}/*.deb)
if(NOT packages MATCHES "^kbsim-dev_[0-9.]+_[a-z0-9]+\\.deb;kbsim_[0-9.]+_[a-z0-9]+\\.deb;python3-kbsim_[0-9.]+_all\\.deb$")
  fail("packages: ${packages}")
endif()
list(GET packages 0 dev)
list(GET packages 1 command)
list(GET packages 2 python)
run("libboost-json.*libc6.*libfmt.*libyaml-cpp" dpkg-deb --field ${folder}/${command} Depends)
run("kbsim \\(= .*libfmt-dev.*libyaml-cpp-dev.*libboost-json.*-dev" dpkg-deb --field ${folder}/${dev} Depends)

# The first package has the files to run, the second the files to build with.
run("" dpkg-deb -x ${folder}/${command} ${folder}/unpacked)
if(EXISTS ${folder}/unpacked/usr/include OR EXISTS ${folder}/unpacked/usr/lib)
  fail("${command} has files to build with")
endif()
require_files(${folder}/unpacked/usr bin/kbsim share/kbsim/configs/topology.yaml share/man/man1/kbsim.1
              share/bash-completion/completions/kbsim share/zsh/site-functions/_kbsim
              share/doc/kbsim/README.md share/doc/kbsim/THIRD_PARTY_NOTICES.md share/doc/kbsim/CITATION.cff
              share/doc/kbsim/examples/my_program/main.cpp)
run("" dpkg-deb -x ${folder}/${dev} ${folder}/unpacked)
require_files(${folder}/unpacked/usr include/kbsim/host/host_program.hpp lib/libkbsim.a
              lib/cmake/kbsim/kbsimConfig.cmake share/kbsim/models/topologies/ring_topology.cpp)

# No file names the build folders, and no library is searched there.
execute_process(COMMAND grep -rlF -e ${SOURCE}/ -e ${BUILD}/ ${folder}/unpacked OUTPUT_VARIABLE leaks)
if(leaks)
  fail("the build's folders are named in:\n${leaks}")
endif()
execute_process(COMMAND readelf -d ${folder}/unpacked/usr/bin/kbsim OUTPUT_VARIABLE dynamic)
if(NOT dynamic MATCHES "NEEDED" OR dynamic MATCHES "RPATH|RUNPATH")
  fail("the command's libraries:\n${dynamic}")
endif()

run("" dpkg-deb -x ${folder}/${python} ${folder}/unpacked)
run("21806a183ed53e2c"
    ${CMAKE_COMMAND} -E env PATH=${folder}/unpacked/usr/bin PYTHONPATH=${folder}/unpacked/usr/lib/python3/dist-packages
    /usr/bin/python3 -B -c "print(__import__('kbsim').run('ccl_allreduce').digest)")

run("2811.942 ns.*digest 21806a183ed53e2c"
    ${folder}/unpacked/usr/bin/kbsim --topology topology.yaml --bench ccl_allreduce)

# Registration works with every kind of linking except by hand, which is reported (docs/adr/0053).
run("" ${CMAKE_COMMAND} -S ${ROOMS} -B ${folder}/rooms -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${folder}/unpacked/usr
       -DCMAKE_CXX_COMPILER=${COMPILER} -DKBSIM_LIBRARY=${folder}/unpacked/usr/lib/libkbsim.a)
run("" ${CMAKE_COMMAND} --build ${folder}/rooms)
foreach(program whole room behind)
  run("ring_allreduce found\nbuiltin.pe_dma found\ncube_mesh found\ncube_leaders found\n" ${folder}/rooms/${program})
endforeach()
run("unknown kernel 'ring_allreduce': this program has none at all; link kbsim::kbsim" ${folder}/rooms/dropped)
file(REMOVE_RECURSE ${folder})
