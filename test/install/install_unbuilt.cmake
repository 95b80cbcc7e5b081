# cmake -DBUILD=… -P install_unbuilt.cmake
#
# `cmake --install` of a build that lacks something says how to build it, before it installs anything.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
make_folder(kbsim-unbuilt)

file(READ ${BUILD}/cmake_install.cmake script)
function(lacks file component)
  string(REPLACE ${BUILD}/${file} ${folder}/unbuilt/${file} changed "${script}")
  file(WRITE ${folder}/build/cmake_install.cmake "${changed}")
  run_to_exit(1 "isn't[ \n]+built:[ \n]+${folder}/unbuilt/${file}.*\n *cmake --build ${BUILD} --target kbsim_installable\n"
              ${CMAKE_COMMAND} --install ${folder}/build --prefix ${folder}/installed --component ${component})
  if(EXISTS ${folder}/installed)
    fail("something is installed without ${file}")
  endif()
endfunction()
lacks(apps/kbsim/kbsim kbsim)
lacks(documents/kbsim.1 kbsim)
lacks(libkbsim.a dev)
file(REMOVE_RECURSE ${folder})
