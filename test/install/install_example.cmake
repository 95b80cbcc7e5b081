# cmake -DBUILD=… -DEXAMPLES=… -DCOMPILER=… -DGENERATOR=… -DCONFIG=… -DPYTHON=… -P install_example.cmake
#
# Installs a built kbsim, moves it, builds copies of the examples against it, and runs them.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
make_folder(kbsim-install)

run("" ${CMAKE_COMMAND} -E env DESTDIR=${folder}/staged ${CMAKE_COMMAND} --install ${BUILD} --prefix /opt/kbsim)
file(RENAME ${folder}/staged/opt/kbsim ${folder}/installed)

# A moved build folder is reported.
file(READ ${BUILD}/cmake_install.cmake script)
string(REPLACE ${BUILD} ${folder}/gone script "${script}")
file(WRITE ${folder}/elsewhere/cmake_install.cmake "${script}")
run_to_exit(1 "made[ \n]+as[ \n]+${folder}/gone,.*elsewhere.*build[ \n]+again" ${CMAKE_COMMAND} --install ${folder}/elsewhere)

file(GLOB models ${folder}/installed/share/kbsim/models/*/*.cpp)
foreach(model ring_topology leader_only single_shard_per_rank)
  if(NOT models MATCHES "/${model}\\.cpp")
    fail("the model ${model}.cpp isn't installed, but ${models}")
  endif()
endforeach()
list(TRANSFORM models REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE includes)
list(JOIN includes "\n" includes)
file(WRITE ${folder}/models.cpp "${includes}\n")
run("" ${COMPILER} -std=c++20 -fsyntax-only -I${folder}/installed/include ${folder}/models.cpp)
require_files(${folder}/installed share/man/man1/kbsim.1 share/bash-completion/completions/kbsim
              share/zsh/site-functions/_kbsim share/doc/kbsim/README.md share/doc/kbsim/CONTRIBUTING.md share/doc/kbsim/docs/extend.md
              share/doc/kbsim/docs/reference/cli.md
              share/doc/kbsim/kernels/softmax.cpp)
# Links of the documents lead to what is installed with them.
run("" ${PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/../lint/links.py ${folder}/installed/share/doc/kbsim)
# The sources of my_kernel are compiled one by one, as in a user's copy; those of my_machine together.
set(my_machine_options -DCMAKE_UNITY_BUILD=ON)
foreach(example my_kernel my_machine my_mapping my_program my_load)
  file(COPY ${folder}/installed/share/doc/kbsim/examples/${example} DESTINATION ${folder})
  run("" ${CMAKE_COMMAND} -S ${folder}/${example} -B ${folder}/${example}/build -G ${GENERATOR}
         -DCMAKE_PREFIX_PATH=${folder}/installed -DCMAKE_CXX_COMPILER=${COMPILER}
         -DCMAKE_BUILD_TYPE=${CONFIG} ${${example}_options})
  run("" ${CMAKE_COMMAND} --build ${folder}/${example}/build)
endforeach()
set(kbsim ${folder}/installed/bin/kbsim)
file(READ ${folder}/installed/share/doc/kbsim/docs/tutorials/host-program.md guide)
function(require_in_guide text)
  string(FIND "${guide}" "${text}" at)
  if(at EQUAL -1)
    fail("docs/tutorials/host-program.md doesn't have:${text}")
  endif()
endfunction()

# my_kernel: a kernel, alone and by a bench, and a collective.
run("scale in the mock: right\nload_strided in the mock: right\n" ${folder}/my_kernel/build/mock_test)
set(mine ${folder}/my_kernel/build/libmine.so)
run("  scale  +multiplies a tensor by a number.*  my_ring  +" ${kbsim} list --plugin ${mine})
run("every element is three times what it was"
    ${kbsim} --topology topology.yaml --plugin ${mine} --bench my_bench)
run("--n N \\(=3\\) +launches, one after the other \\(1 to 10\\)" ${kbsim} --plugin ${mine} --bench my_repeat --help)
run("by\\^n.*  3  scale " ${kbsim} --plugin ${mine} --bench my_repeat --n 4 --by 1.5 --out ${folder}/repeated)
run("results are what they were" ${kbsim} check ${folder}/repeated)
run("<algo name=\"my_allreduce\".*ngpus=\"2\""
    ${kbsim} ccl export my_allreduce --plugin ${mine} --ccl ${EXAMPLES}/my_kernel/my_ccl.yaml --ranks 2)
run("# my_allreduce on 2 ranks.*Out of bounds values : 0 OK"
    ${kbsim} --topology topology.yaml --plugin ${mine} --ccl ${EXAMPLES}/my_kernel/my_ccl.yaml --bench ccl -b 1K -e 16K)


# A kind of collective of its own: values against its definition, exact times, by name from a host program, and with a
# mistake in the file.
set(halos --topology topology.yaml --plugin ${mine} --ccl ${EXAMPLES}/my_kernel/my_ccl.yaml)
run("  exchange_halos  .*  halo_exchange  +the first and last quarter " ${kbsim} list --plugin ${mine})
foreach(ranks 1 2 3 5)
  run("# halos on ${ranks} rank.*Out of bounds values : 0 OK"
      ${kbsim} ${halos} --set system.sips.count=${ranks} --bench ccl --algorithm halos -b 2 -e 64K -f 8)
endforeach()
run("halos: every one is its neighbour's" ${kbsim} ${halos} --set system.sips.count=4 --bench my_halos)
run_to_exit(2 "algorithms.halos.collective: unknown collective 'halo_exchang', did you mean 'halo_exchange'"
            ${kbsim} ${halos} --bench ccl --algorithm halos --set ccl.algorithms.halos.collective=halo_exchang)

# A memory operation of its own, on the machine.
run("columns: right, in [0-9.]+ ns both ways" ${kbsim} --topology topology.yaml --plugin ${mine} --bench my_columns)

# my_machine: an engine, switches, memories and a scheduler, routings and a part.
run("packets one by one: right\na saturated ring loses nothing: right\na queue that stops too late overflows: right\n"
    ${folder}/my_machine/build/on_off_test)
run("mine.narrow_writes, exact times: right\nmine.turnaround, exact times: right\n.*mine.turnaround, the same with [1-9][0-9]* events fewer: right\n"
    ${folder}/my_machine/build/memory_test)
set(machine --topology topology.yaml --plugin ${folder}/my_machine/build/libmy_machine.so)
run("  mine.bus  .*  mine.narrow_writes  .*  mine.on_off  .*  mine.outer_product  .*  mine.scrubber  .*  mine.turnaround  .*  mine.o1turn  .*  mine.valiant  .*  mine.reads_first  "
    ${kbsim} list --plugin ${folder}/my_machine/build/libmy_machine.so)
run("gemm +busy +16640.000 ns" ${kbsim} ${machine} --bench gemm_single_pe --set pe.pe_gemm.impl=mine.outer_product)
run("32 OK" ${kbsim} ${machine} --bench ccl_allreduce --set cube.noc.router.impl=mine.bus
            --set cube.hbm_ctrl.impl=mine.narrow_writes --set cube.hbm_ctrl.scheduler=mine.reads_first)
run("32 OK" ${kbsim} ${machine} --bench ccl_allreduce --set cube.hbm_ctrl.impl=mine.turnaround)
run("\"sip0.cube0.scrubber\"" ${kbsim} topology ${machine} --set cube.parts.scrubber.model.impl=mine.scrubber --json)
run("32 OK" ${kbsim} ${machine} --bench ccl_allreduce --set system.routing.impl=mine.o1turn
            --set cube.parts.scrubber.model.impl=mine.scrubber)
run("32 OK" ${kbsim} ${machine} --bench ccl_allreduce --set system.routing.impl=mine.valiant --set cube.noc.router.impl=mine.on_off)
run("" ${kbsim} traffic ${machine} --scope mesh:4x4 --load 0.2 --set cube.noc.router.impl=mine.bus)
run("" ${kbsim} traffic ${machine} --scope ring:8 --pattern permutation:3 --arrivals saturated --packets 5000
       --set cube.noc.router.impl=mine.on_off)
run("" ${kbsim} traffic ${machine} --scope mesh:8x8 --pattern transpose --load 0.3 --packets 5000
       --set system.routing.impl=mine.valiant --set system.routing.seed=7)

# my_mapping: a product of a model divided in a way of its own, by name and by a file; values are the undivided model's.
set(mapping --plugin ${folder}/my_mapping/build/libmy_mapping.so --topology small.yaml --bench llm --prompt 20)
run("qkv .* depth\n.*logits: as the undivided model's.*logits: as the undivided model's" ${kbsim} ${mapping} --mapping depth)
run("down .* depth\n.*logits: as the undivided model's"
    ${kbsim} ${mapping} --mapping ${EXAMPLES}/my_mapping/my_mapping.yaml)

# A project may name the version without its last number; a project without C++ is refused with the reason.
run("" ${kbsim} version)
string(REGEX MATCH "[0-9]+\\.[0-9]+" version "${output}")
foreach(language CXX C)
  file(WRITE ${folder}/${language}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\n"
       "project(finds LANGUAGES ${language})\nfind_package(kbsim ${version} REQUIRED)\n")
endforeach()
set(prefix -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${folder}/installed)
run("" ${CMAKE_COMMAND} -S ${folder}/CXX -B ${folder}/CXX/build ${prefix} -DCMAKE_CXX_COMPILER=${COMPILER})
run_to_exit(1 "no C\\+\\+:[ \n]+project\\(finds[ \n]+LANGUAGES[ \n]+CXX\\)"
            ${CMAKE_COMMAND} -S ${folder}/C -B ${folder}/C/build ${prefix})

# my_program: kbsim inside, as the guide to host programs says, with the installed configs wherever they are.
set(program ${folder}/my_program/build/my_program)
run("^all_reduce [0-9.]+ ns, kernel [0-9.]+ ns, ends at [0-9.]+ ns\nvalue 24, expected 24: right\n$" ${program})
require_in_guide("\n```\n${output}```\n")
file(READ ${folder}/my_program/CMakeLists.txt lists)
string(REGEX MATCH "\nfind_package.*" lists "${lists}")
require_in_guide("\n```cmake${lists}```\n")

# my_load: Asio code in simulated time, whose times are exact.
set(load ${folder}/my_load/build/my_load)
run("" ${load})
file(READ ${folder}/my_load/README.md page)
string(FIND "${page}" "\n```\n${output}```\n" at)
if(at EQUAL -1)
  fail("my_load's README.md doesn't have:${output}")
endif()
run("^200 requests, one every 400 ns: 200 answered, 0 late, 0 refused\np50 427.058 ns, p90 747.351 ns, p99 1230.815 ns, ends at 77097.403 ns\n$"
    ${load} 400)
run_to_exit(2 "my_load: NS must be above 0" ${load} -1)

file(RENAME ${folder}/installed ${folder}/moved)
run_to_exit(2 "no topology.yaml in ${folder}/installed/share/kbsim/configs, .*: set KBSIM_CONFIGS" ${program})
run("right" ${CMAKE_COMMAND} -E env KBSIM_CONFIGS=${folder}/moved/share/kbsim/configs ${program} small.yaml)
file(REMOVE_RECURSE ${folder})
