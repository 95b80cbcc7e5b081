#include "kbsim/sim/server_orders.hpp"

#include <utility>

namespace kbsim {

std::uint32_t& ServerOrders::first_of(ServerId server) {
  if (server.kind >= came_.size()) came_.resize(server.kind + 1);
  std::vector<std::uint32_t>& kind = came_[server.kind];
  if (server.number >= kind.size()) kind.resize(server.number + 1);
  return kind[server.number];
}

void ServerOrders::in_order(const Cause& first, const Cause& second) {
  if (!causes_.keeps_all() || !first || !second) return;
  moments_.retain(first.id());
  moments_.retain(second.id());
  orders_.push_back({.first = first.id(), .second = second.id()});
}

void ServerOrders::clear() {
  for (const Order& order : std::exchange(orders_, {})) {
    moments_.release(order.first);
    moments_.release(order.second);
  }
  for (const std::vector<std::uint32_t>& kind : std::exchange(came_, {})) {
    for (const std::uint32_t last : kind) {
      if (last != 0) moments_.release(last);
    }
  }
}

// The server must be free by the work's start; `holder` is none if the server had no work before.
bool ServerOrders::can_serve(const ServedWork& work, const Cause& head, const Cause& tail,
                             const Cause& holder) const {
  constexpr std::size_t kMoments = 5;
  if (!causes_.keeps_all() || causes_.gives_up() || !moments_.has_room_for(kMoments)) return false;
  if (!head || !tail) return false;
  if (moments_[head.id()].at > work.came || moments_[tail.id()].at > work.tail) return false;
  const bool queued = work.came < work.start;
  if (work.came > work.start || (queued && !holder)) return false;
  if (!holder) return true;
  const Time free = moments_[holder.id()].at;
  return queued ? free == work.start : free <= work.start;
}

// As comes_next(), for a moment that isn't there yet. Returns the number of references that this needs.
std::uint32_t ServerOrders::comes_behind(ServerId server, std::uint32_t came) {
  const std::uint32_t before = std::exchange(last_of(server), came);
  if (before == 0) return 1;
  orders_.push_back({.first = before, .second = came});  // the order keeps the reference to the first
  return 2;
}

// Makes the moments of its start, if the server had work before, and of its service's end. Returns the
// latter.
std::uint32_t ServerOrders::put_service(const ServedWork& work, std::uint32_t own, std::uint32_t free) {
  const bool queued = work.came < work.start;
  const std::uint32_t from = queued ? free : own;
  const std::uint32_t other = queued ? own : free;
  const bool tied = free != 0 && !queued && moments_[free].at == work.start;
  std::uint32_t last = own;
  if (free != 0) {
    const Why start = queued ? work.waited : Why{.reason = kLatest};
    moments_.put(++last, 1, {.at = work.start, .parent = from, .why = start, .tied = tied, .other = other});
    moments_.retain(free);  // of both, and no longer of the server
  }
  moments_.put(++last, 1, {.at = work.end, .parent = from, .why = work.work, .tied = tied, .other = other});
  moments_[last].why.queued = queued;
  return last;
}

// Makes the moment when its tail could have left, and the later of that and of `served`.
std::uint32_t ServerOrders::put_end(const ServedWork& work, std::uint32_t served, std::uint32_t tail) {
  const std::uint32_t passed = served + 1;
  moments_.put(passed, 1, {.at = work.tail, .parent = tail, .why = work.tail_passed});
  const bool late = work.end < work.tail;
  moments_.put(passed + 1, 2,
               {.at = late ? work.tail : work.end,
                .parent = late ? passed : served,
                .why = {.reason = kLatest},
                .tied = work.end == work.tail,
                .other = late ? served : passed});
  return passed + 1;
}

// Numbers and references are as if the moments were made one by one. `head` and `tail` hand over theirs.
bool ServerOrders::serve(ServerId server, const ServedWork& work, Cause& head, Cause& tail, Cause& holder) {
  if (!can_serve(work, head, tail, holder)) [[unlikely]]
    return false;
  const std::uint32_t own = moments_.next();
  moments_.put(own, 2 + comes_behind(server, own),
               {.at = work.came, .parent = head.hand_over(), .why = work.passed});
  const std::uint32_t served = put_service(work, own, holder.hand_over());
  const std::uint32_t left = put_end(work, served, tail.hand_over());
  (void)moments_.append(left + 1 - own);
  head.take_over(moments_, served - 1);
  tail.take_over(moments_, left);
  holder.take_over(moments_, left);
  return true;
}

}  // namespace kbsim
