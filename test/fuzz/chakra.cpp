// Whatever the bytes, an execution trace is read or refused. A trace that is read can be written and read
// back, and two ranks of it are a workload or are refused.
#include <cstdlib>

#include "kbsim/inputs/chakra/workload.hpp"

#include "inputs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbsim::inputs::chakra;
  return kbsim::fuzz::feed(data, size, [](const std::string& bytes) {
    const Trace trace = parse_trace("fuzz", bytes);
    const std::string again = to_bytes(trace);
    if (!(parse_trace("again", again) == trace)) std::abort();
    (void)workload_of({trace, trace});
  });
}
