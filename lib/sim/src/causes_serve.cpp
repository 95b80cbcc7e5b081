// Makes the moments of a served work together: most moments of most runs are made so.
#include <utility>

#include "kbsim/sim/causes.hpp"

namespace kbsim {

// The server must be free by the work's start; `holder` is none if the server had no work before.
bool Causes::can_serve(const Served& work, const Cause& head, const Cause& tail, const Cause& holder) const {
  constexpr std::size_t kMoments = 5;
  if (!keeps_all_ || gives_up_ || !has_room_for(kMoments) || !head || !tail) return false;
  if (record(head.id_).moment.at > work.came || record(tail.id_).moment.at > work.tail) return false;
  const bool queued = work.came < work.start;
  if (work.came > work.start || (queued && !holder)) return false;
  if (!holder) return true;
  const Time free = record(holder.id_).moment.at;
  return queued ? free == work.start : free <= work.start;
}

// As comes_next(), for a moment that isn't there yet. Returns the number of references that this needs.
std::uint32_t Causes::comes_behind(Server server, std::uint32_t came) {
  const std::uint32_t before = std::exchange(last_of(server), came);
  if (before == 0) return 1;
  orders_.push_back({.first = before, .second = came});  // the order keeps the reference to the first
  return 2;
}

// Makes the moments of its start, if the server had work before, and of its service's end. Returns the
// latter.
std::uint32_t Causes::put_service(const Served& work, std::uint32_t own, std::uint32_t free) {
  const bool queued = work.came < work.start;
  const std::uint32_t from = queued ? free : own;
  const std::uint32_t other = queued ? own : free;
  const bool tied = free != 0 && !queued && record(free).moment.at == work.start;
  std::uint32_t last = own;
  if (free != 0) {
    const Why start = queued ? work.waited : Why{.reason = kLatest};
    put(++last, 1, {.at = work.start, .parent = from, .why = start, .tied = tied, .other = other});
    ++record(free).references;  // of both, and no longer of the server
  }
  put(++last, 1, {.at = work.end, .parent = from, .why = work.work, .tied = tied, .other = other});
  record(last).moment.why.queued = queued;
  return last;
}

// Makes the moment when its tail could have left, and the later of that and of `served`.
std::uint32_t Causes::put_end(const Served& work, std::uint32_t served, std::uint32_t tail) {
  const std::uint32_t passed = served + 1;
  put(passed, 1, {.at = work.tail, .parent = tail, .why = work.tail_passed});
  const bool late = work.end < work.tail;
  put(passed + 1, 2,
      {.at = late ? work.tail : work.end,
       .parent = late ? passed : served,
       .why = {.reason = kLatest},
       .tied = work.end == work.tail,
       .other = late ? served : passed});
  return passed + 1;
}

// Numbers and references are as if the moments were made one by one. `head` and `tail` hand over theirs.
bool Causes::serve(Server server, const Served& work, Cause& head, Cause& tail, Cause& holder) {
  if (!can_serve(work, head, tail, holder)) [[unlikely]]
    return false;
  const auto own = static_cast<std::uint32_t>(size_);
  put(own, 2 + comes_behind(server, own), {.at = work.came, .parent = head.id_, .why = work.passed});
  const std::uint32_t served = put_service(work, own, holder.id_);
  const std::uint32_t left = put_end(work, served, tail.id_);
  made_ += left + 1 - own;
  size_ = left + 1;
  head.id_ = served - 1;
  tail.id_ = left;
  holder.of_ = this;
  holder.id_ = left;
  return true;
}

}  // namespace kbsim
