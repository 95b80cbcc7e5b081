#pragma once

#include <cstdint>
#include <string>

#include "kbsim/inputs/text.hpp"

namespace kbsim::fuzz {

/// Reads a fuzzer's input: it is read, or refused as a user's mistake; any other outcome ends the fuzzer.
template <class Read>
int feed(const std::uint8_t* data, std::size_t size, const Read& read) {
  try {
    read(std::string{reinterpret_cast<const char*>(data), size});
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::usage && error.exit_code() != ExitCode::unsupported) throw;
  }
  return 0;
}

}  // namespace kbsim::fuzz
