# What `cmake --install` leaves for people: the manual page and completions, made by the command from its own
# options, the documents, and with them the examples and kernels that they link to.
include(GNUInstallDirs)

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
  install(FILES README.md CONTRIBUTING.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY docs examples kernels DESTINATION ${CMAKE_INSTALL_DOCDIR}
          PATTERN build EXCLUDE PATTERN include EXCLUDE)
endfunction()
