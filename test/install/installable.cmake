# cmake -DBUILD=… -DNINJA=… -P installable.cmake
#
# The target kbsim_installable makes all files of the build folder that are installed.
cmake_minimum_required(VERSION 3.25)

function(ask_ninja name)
  execute_process(COMMAND ${NINJA} -C ${BUILD} -t ${ARGN} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  set(${name} "${output}" PARENT_SCOPE)
endfunction()
ask_ninja(targets targets all)              # "libkbsim.a: CXX_STATIC_LIBRARY_LINKER__..."
ask_ninja(graph graph kbsim_installable)    # "... [label="libkbsim.a"]"

set(seen 0)
file(GLOB_RECURSE scripts ${BUILD}/cmake_install.cmake)
foreach(script ${scripts})
  file(READ ${script} text)
  string(REGEX MATCHALL "\"${BUILD}/[^\"]+\"" files "${text}")
  foreach(file ${files})
    string(REPLACE "\"" "" file ${file})
    file(RELATIVE_PATH file ${BUILD} ${file})
    string(FIND "\n${targets}" "\n${file}: " target)
    string(FIND "${graph}" "[label=\"${file}\"" built)
    if(target EQUAL -1)
      continue() # made when the folder is configured
    endif()
    math(EXPR seen "${seen} + 1")
    if(built EQUAL -1)
      message(FATAL_ERROR "${file} is installed, and kbsim_installable doesn't build it")
    endif()
  endforeach()
endforeach()
if(seen LESS 5)
  message(FATAL_ERROR "only ${seen} files of the build are installed: is the target known as it was?")
endif()
