#include "kbsim/sim/border.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/windows.hpp"

namespace kbsim::detail {

AnyBorder::AnyBorder(Windows& windows, std::size_t from, std::size_t to)
    : windows_{windows}, from_{from}, to_{to} {
  windows.add(*this);
}

void AnyBorder::note(Time at) {
  if (at < windows_.end() || at == kForever) [[unlikely]]
    throw_internal("a post over a border is for the next window or later");
  first_ = std::min(first_, at);
}

}  // namespace kbsim::detail
