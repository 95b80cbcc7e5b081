// Operations that leave the PE beside plain moves: composites and items; and waits for several at once.
#include <fmt/format.h>

#include "kbsim/tl/tl.hpp"

#include "faults.hpp"

namespace kbsim {

using tl_detail::fault;

Ref TL::ref(Ptr ptr, Shape shape, DType dtype, Here at) const {
  if (dtype != ptr.dtype) {
    throw fault(at, fmt::format("ref: {} of memory of {}", to_string(dtype), to_string(ptr.dtype)));
  }
  return {.ptr = ptr, .shape = shape};
}

Pending<Tile> TL::composite(CompositeArgs args, Here at) {
  return Pending<Tile>{pe_.composite(checked(args, at))};
}

Pending<double> TL::item(const Tile& tile, Shape index, Here at) {
  tl_detail::require_tile(tile, "item", at);
  const Shape& shape = tile.shape();
  if (index.rank() == 0) {
    if (shape.elements() == 1) return Pending<double>{pe_.item(tile.state(), 0, at)};
    throw fault(at,
                fmt::format("item: a tile of {} has more than one element; give an index", to_string(shape)));
  }
  std::int64_t element = 0;
  bool inside = index.rank() == shape.rank();
  for (int axis = 0; inside && axis < shape.rank(); ++axis) {
    inside = 0 <= index[axis] && index[axis] < shape[axis];
    element = element * shape[axis] + index[axis];
  }
  if (!inside)
    throw fault(at, fmt::format("item: {} is no index of a tile of {}", to_string(index), to_string(shape)));
  return Pending<double>{pe_.item(tile.state(), element, at)};
}

Task<> TL::wait_for(std::vector<PendingPtr> all) {
  for (const PendingPtr& one : all) {
    if (!one) continue;
    co_await one->event().wait(one->at());
    (void)one->observe();  // rethrows its error
  }
}

}  // namespace kbsim
