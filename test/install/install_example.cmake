# cmake -DBUILD=… -DEXAMPLE=… -DCOMPILER=… -DGENERATOR=… -DSANITIZE=… -DCONFIG=… -P install_example.cmake
#
# Installs a built kbsim, moves it, builds a copy of the example against it, and runs the example's bench.
if(DEFINED ENV{TMPDIR})
  set(temporary $ENV{TMPDIR})
else()
  set(temporary /tmp)
endif()
string(RANDOM LENGTH 12 name)
set(folder ${temporary}/kbsim-install-${name})

# Runs a command, whose output is shown if it fails or doesn't match `expected`.
function(run expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0 OR NOT output MATCHES "${expected}")
    file(REMOVE_RECURSE ${folder})
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nexit ${result}, expected '${expected}' in:\n${output}")
  endif()
endfunction()

if(SANITIZE)
  set(flags -fsanitize=address,undefined)
endif()
run("" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${folder}/first)
file(RENAME ${folder}/first ${folder}/installed)
file(GLOB models ${folder}/installed/share/kbsim/models/*/*.cpp)
foreach(model ring leader_only single_shard_per_rank)
  if(NOT models MATCHES "/${model}\\.cpp")
    message(FATAL_ERROR "the model ${model}.cpp isn't installed, but ${models}")
  endif()
endforeach()
run("" ${COMPILER} -std=c++20 -fsyntax-only -I${folder}/installed/include ${models})
file(COPY ${EXAMPLE}/ DESTINATION ${folder}/example)
run("" ${CMAKE_COMMAND} -S ${folder}/example -B ${folder}/build -G ${GENERATOR}
       -DCMAKE_PREFIX_PATH=${folder}/installed -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${flags}
       -DCMAKE_BUILD_TYPE=${CONFIG})
run("" ${CMAKE_COMMAND} --build ${folder}/build)
run("right" ${folder}/build/mock_test)
set(kbsim ${folder}/installed/bin/kbsim)
set(mine ${folder}/build/libmine.so)
run("  scale  +multiplies a tensor by a number.*  my_ring  +" ${kbsim} list --plugin ${mine})
run("every element is three times what it was"
    ${kbsim} --topology topology.yaml --plugin ${mine} --bench my_bench)
run("# my_allreduce on 2 ranks.*Out of bounds values : 0 OK"
    ${kbsim} --topology topology.yaml --plugin ${mine} --ccl ${EXAMPLE}/my_ccl.yaml --bench ccl -b 1K -e 16K)
file(REMOVE_RECURSE ${folder})
