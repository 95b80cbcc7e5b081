#include "kbsim/kernels/ring.hpp"

namespace kbsim::collective {

Slices Ring::scatter_order(const Window& window) const {
  Slices order;
  for (int steps = 1; steps <= size; ++steps) {
    const Slices messages = chunk(window, steps);
    order.insert(order.end(), messages.begin(), messages.end());
  }
  return order;
}

Ring ring_of(const CollectiveArgs& args) {
  return {.position = args.place_of(args.rank), .size = args.world_size};
}

Ring ring_back(const CollectiveArgs& args) {
  const Ring ring = ring_of(args);
  return Ring{.position = ring.size - 1 - ring.position, .size = ring.size}.by(Dir::W, Dir::E);
}

Ring row_of(const CollectiveArgs& args) { return {.position = args.rank % args.sip_w, .size = args.sip_w}; }

Ring column_of(const CollectiveArgs& args) {
  return Ring{.position = args.rank / args.sip_w, .size = args.sip_h}.by(Dir::S, Dir::N);
}

bool may_fill_slots(std::size_t messages, const CollectiveArgs& args) {
  return static_cast<std::int64_t>(messages) > args.free_slots;
}

}  // namespace kbsim::collective
