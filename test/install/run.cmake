# Functions that the scripts here share: a folder of their own, commands that must succeed, files that must exist.
if(DEFINED ENV{TMPDIR})
  set(temporary $ENV{TMPDIR})
else()
  set(temporary /tmp)
endif()

# `folder`, which fail() removes.
macro(make_folder prefix)
  string(RANDOM LENGTH 12 name)
  set(folder ${temporary}/${prefix}-${name})
  file(MAKE_DIRECTORY ${folder})
endmacro()

function(fail why)
  file(REMOVE_RECURSE ${folder})
  message(FATAL_ERROR "${why}")
endfunction()

# Runs a command in that folder, whose `output` is shown if it doesn't exit as it should or match `expected`.
function(run_to_exit code expected)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${folder} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL code OR NOT output MATCHES "${expected}")
    list(JOIN ARGN " " command)
    fail("${command}\nexit ${result}, expected ${code} and '${expected}' in:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
function(run expected)
  run_to_exit(0 "${expected}" ${ARGN})
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(require_files root)
  foreach(file ${ARGN})
    if(NOT EXISTS ${root}/${file})
      fail("${file} isn't installed")
    endif()
  endforeach()
endfunction()
