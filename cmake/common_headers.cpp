// Precompiles KBSIM_COMMON_HEADERS (cmake/Room.cmake): nothing of its own.
