# cmake -DBUILD=… -DEXAMPLES=… -DCOMPILER=… -DGENERATOR=… -DCONFIG=… -P install_example.cmake
#
# Installs a built kbsim, moves it, builds copies of the examples against it, and runs them.
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

run("" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${folder}/first)
file(RENAME ${folder}/first ${folder}/installed)
file(GLOB models ${folder}/installed/share/kbsim/models/*/*.cpp)
foreach(model ring leader_only single_shard_per_rank)
  if(NOT models MATCHES "/${model}\\.cpp")
    message(FATAL_ERROR "the model ${model}.cpp isn't installed, but ${models}")
  endif()
endforeach()
run("" ${COMPILER} -std=c++20 -fsyntax-only -I${folder}/installed/include ${models})
set(documents ${folder}/installed/share/doc/kbsim)
foreach(file share/man/man1/kbsim.1 share/bash-completion/completions/kbsim share/zsh/site-functions/_kbsim
        share/doc/kbsim/README.md share/doc/kbsim/docs/cli.md share/doc/kbsim/kernels/softmax.cpp)
  if(NOT EXISTS ${folder}/installed/${file})
    message(FATAL_ERROR "${file} isn't installed")
  endif()
endforeach()
foreach(example my_kernel my_machine)
  file(COPY ${documents}/examples/${example} DESTINATION ${folder})
  run("" ${CMAKE_COMMAND} -S ${folder}/${example} -B ${folder}/${example}/build -G ${GENERATOR}
         -DCMAKE_PREFIX_PATH=${folder}/installed -DCMAKE_CXX_COMPILER=${COMPILER}
         -DCMAKE_BUILD_TYPE=${CONFIG})
  run("" ${CMAKE_COMMAND} --build ${folder}/${example}/build)
endforeach()
set(kbsim ${folder}/installed/bin/kbsim)

# my_kernel: a kernel, alone and by a bench, and a collective.
run("right" ${folder}/my_kernel/build/mock_test)
set(mine ${folder}/my_kernel/build/libmine.so)
run("  scale  +multiplies a tensor by a number.*  my_ring  +" ${kbsim} list --plugin ${mine})
run("every element is three times what it was"
    ${kbsim} --topology topology.yaml --plugin ${mine} --bench my_bench)
run("# my_allreduce on 2 ranks.*Out of bounds values : 0 OK"
    ${kbsim} --topology topology.yaml --plugin ${mine} --ccl ${EXAMPLES}/my_kernel/my_ccl.yaml --bench ccl -b 1K -e 16K)

# my_machine: an engine, a switch, a memory and its scheduler, a routing and a part.
set(machine --topology topology.yaml --plugin ${folder}/my_machine/build/libmy_machine.so)
run("  mine.bus  .*  mine.narrow_writes  .*  mine.outer_product  .*  mine.scrubber  .*  mine.o1turn  .*  mine.reads_first  "
    ${kbsim} list --plugin ${folder}/my_machine/build/libmy_machine.so)
run("gemm +busy +16640.000 ns" ${kbsim} ${machine} --bench gemm_single_pe --set pe.pe_gemm.impl=mine.outer_product)
run("32 OK" ${kbsim} ${machine} --bench ccl_allreduce --set cube.noc.router.impl=mine.bus
            --set cube.hbm_ctrl.impl=mine.narrow_writes --set cube.hbm_ctrl.scheduler=mine.reads_first)
run("\"sip0.cube0.scrubber\"" ${kbsim} topology ${machine} --set cube.parts.scrubber.model.impl=mine.scrubber --json)
run("32 OK" ${kbsim} ${machine} --bench ccl_allreduce --set system.routing.impl=mine.o1turn
            --set cube.parts.scrubber.model.impl=mine.scrubber)
run("" ${kbsim} traffic ${machine} --scope mesh:4x4 --load 0.2 --set cube.noc.router.impl=mine.bus)
file(REMOVE_RECURSE ${folder})
