// The printed forms of small types: ids, dtypes, shapes, digests.
#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/digest.hpp"
#include "kbsim/base/dtype.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/shape.hpp"

namespace kbsim {

std::string to_string(const PeCoord& at) {
  return fmt::format(FMT_COMPILE("sip{}.cube{}.pe{}"), at.sip, at.cube, at.pe);
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape.extents(), ", ")); }

void Shape::refuse() const {
  throw UsageError{fmt::format("a shape of {}: more elements than any memory has", to_string(*this))};
}

std::string to_string(const Digest& digest) { return fmt::format("{:016x}", digest.value()); }

std::optional<DType> parse_dtype(std::string_view name) {
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace kbsim
