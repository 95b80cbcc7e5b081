#include "kbsim/llm/number_format.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

namespace kbsim::inference {
namespace {

constexpr std::array kFormats{f16, bf16, f32};
constexpr auto kFewerBits = std::to_array<std::string_view>(
    {"fp8", "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2", "e4m3", "e5m2", "i8", "int8", "i4", "int4", "fp4",
     "bfp8", "bfp4", "mxfp8", "mxfp6", "mxfp4", "mxint8", "nvfp4"});

}  // namespace

DType number_format(std::string_view option, const std::string& name) {
  if (std::ranges::find(kFewerBits, name) != kFewerBits.end())
    throw Unsupported{fmt::format(
        "--{} {}: formats of fewer than 16 bits aren't simulated, f16, bf16 and f32 are", option, name)};
  std::vector<std::string> known;
  for (const DType format : kFormats) {
    if (name == to_string(format)) return format;
    known.emplace_back(to_string(format));
  }
  throw UsageError{fmt::format("--{}: unknown format '{}'{}", option, name, name_hint(name, known))};
}

}  // namespace kbsim::inference
