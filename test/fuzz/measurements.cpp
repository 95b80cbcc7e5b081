// Whatever the text, it is measured times in whole rows, or is refused.
#include "kbsim/inputs/logs/measurements.hpp"

#include <cstdlib>

#include "inputs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbsim::inputs;
  return kbsim::fuzz::feed(data, size, [](const std::string& content) {
    const Text text{"fuzz", content};
    const Measurements found = read_measurements(text);
    for (const auto& row : found.rows) {
      for (const std::string& column : found.columns) {
        if (!row.contains(column)) std::abort();
      }
    }
    (void)read_measurements(text, Buffers::in_place);
  });
}
