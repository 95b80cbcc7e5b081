# cmake -DCOMMAND=kbsim -DDIGEST=FILE -P main_job.cmake: the main job ends well, with the digest of the file.
file(STRINGS ${DIGEST} recorded)
foreach(option "" --exact-packets)
  execute_process(COMMAND ${COMMAND} --topology topology.yaml --bench ccl_allreduce --verify-data --json ${option}
                  OUTPUT_VARIABLE document RESULT_VARIABLE exit)
  if(NOT exit EQUAL 0)
    message(FATAL_ERROR "The main job ${option} ends with exit code ${exit}")
  endif()
  string(JSON digest GET "${document}" run digest)
  if(NOT digest STREQUAL recorded)
    message(FATAL_ERROR "The digest of the main job ${option} is ${digest}, recorded is ${recorded}")
  endif()
endforeach()
