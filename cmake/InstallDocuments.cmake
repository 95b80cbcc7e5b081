# Documents that `cmake --install` installs: the manual page and completions, which the command makes from its own
# options, and the documents with the files that they link to, each at its place in the repository.
include(GNUInstallDirs)

# Sources that documents link to, besides examples and kernels; test/install checks that the list is complete.
set(KBSIM_LINKED_SOURCES
    lib/ccl/include/kbsim/ccl/mapper.hpp lib/ccl/include/kbsim/ccl/validator.hpp
    lib/hw/fabric/include/kbsim/hw/fabric/fabric.hpp lib/hw/fabric/include/kbsim/hw/fabric/lane.hpp
    lib/hw/memory/include/kbsim/hw/memory/port_timing.hpp
    lib/hw/pe/include/kbsim/hw/pe/in_order_engine.hpp lib/inputs/include/kbsim/inputs/chakra/chakra_trace.hpp
    lib/trace/src/perfetto.proto scripts/packages.txt lib/tl/include/kbsim/tl/collective_args.hpp
    lib/tl/include/kbsim/tl/tl.hpp test/fuzz/README.md test/soak/README.md)

function(kbsim_install_documents)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/documents)
  file(MAKE_DIRECTORY ${made})
  add_custom_command(
    OUTPUT ${made}/kbsim.1 ${made}/kbsim.bash ${made}/_kbsim
    COMMAND kbsim help --man > ${made}/kbsim.1
    COMMAND kbsim completion bash > ${made}/kbsim.bash
    COMMAND kbsim completion zsh > ${made}/_kbsim
    DEPENDS kbsim ${PROJECT_SOURCE_DIR}/configs/ccl.yaml)
  add_custom_target(kbsim_documents ALL DEPENDS ${made}/kbsim.1 ${made}/kbsim.bash ${made}/_kbsim)

  install(FILES ${made}/kbsim.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${made}/kbsim.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME kbsim)
  install(FILES ${made}/_kbsim DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES README.md CONTRIBUTING.md CHANGELOG.md THIRD_PARTY_NOTICES.md CITATION.cff
          DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY python/kbsim DESTINATION lib/python3/dist-packages COMPONENT python
          PATTERN __pycache__ EXCLUDE)
  install(DIRECTORY docs examples kernels DESTINATION ${CMAKE_INSTALL_DOCDIR}
          PATTERN build EXCLUDE PATTERN include EXCLUDE)
  install(DIRECTORY test/validation DESTINATION ${CMAKE_INSTALL_DOCDIR}/test PATTERN __pycache__ EXCLUDE)
  foreach(source IN LISTS KBSIM_LINKED_SOURCES)
    cmake_path(GET source PARENT_PATH place)
    install(FILES ${source} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${place})
  endforeach()
endfunction()
