// Whatever the bytes, a NOC trace is read whole or refused with a place; a trace that is read can be read
// again.
#include "kbsim/inputs/noc/noc_trace.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "kbsim/base/error.hpp"

namespace {

constexpr kbsim::inputs::NocExtent kGrid{.w = 4, .h = 4, .layers = 2};

void read(const std::filesystem::path& file, std::size_t most_stretches) {
  const auto trace = kbsim::inputs::NocTrace::open(file, kGrid, most_stretches);
  std::uint64_t events = 0;
  for (const kbsim::inputs::NocSection& section : trace.sections) {
    kbsim::inputs::NocCursor cursor{trace, section, kGrid};
    while (cursor.next()) ++events;
  }
  if (events != trace.events) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("kbsim_fuzz_noc_trace_" + std::to_string(getpid()) + ".json");
  std::ofstream{file, std::ios::binary}.write(reinterpret_cast<const char*>(data),
                                              static_cast<std::streamsize>(size));
  try {
    read(file, kbsim::inputs::NocTrace::kMostStretches);
    read(file, 1);  // all of them joined
  } catch (const kbsim::Error& error) {
    if (error.exit_code() == kbsim::ExitCode::internal) std::abort();
  }
  return 0;
}
