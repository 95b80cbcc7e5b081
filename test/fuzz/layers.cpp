// Whatever the text, it is a list of layers or is refused; the work of layers can be counted.
#include "kbsim/inputs/layers/layers.hpp"

#include <cstdlib>

#include "inputs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbsim::inputs;
  return kbsim::fuzz::feed(data, size, [](std::string text) {
    for (const Layer& layer : read_layers(Text{"fuzz", std::move(text)})) {
      if (layer.macs() < 1 || layer.elements() < 3) std::abort();
    }
  });
}
