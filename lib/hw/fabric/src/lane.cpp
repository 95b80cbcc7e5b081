#include "kbsim/hw/fabric/lane.hpp"

#include "kbsim/base/bytes.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::hw {
namespace {

// Sum of the integers from `first` to `last`.
std::int64_t sum(std::int64_t first, std::int64_t last) {
  return last < first ? 0 : (first + last) * (last - first + 1) / 2;
}

// The sum of max(a + i * da, b + i * db) over i from 1 to `last`.
Time sum_of_later(Time a, Time da, Time b, Time db, std::int64_t last) {
  if (da < db) return sum_of_later(b, db, a, da, last);
  std::int64_t behind = a >= b ? 0 : last;  // number of first terms in which b is the later
  if (a < b && da > db) behind = std::min(last, ceil_div((b - a).count(), (da - db).count()) - 1);
  return behind * b + sum(1, behind) * db + (last - behind) * a + sum(behind + 1, last) * da;
}

}  // namespace

Time Lane::framed_service(Bytes n) const { return framing_->service(n); }

// Each packet ends at the latest of three times: one service after the end of the one before it, one service
// after its head, and its tail. So the ends are the later of end + i * service and in + i * gap. Each packet
// starts when the one before it ends, or when its head is there, whichever is later.
Lane::Slot Lane::reserve_waiting(Time head, Time tail, Time gap, std::int64_t count, Bytes n, Time service) {
  const Time start = std::max(head, free_);
  const Time in = std::max(head + service, tail);
  const Time end = std::max(start + service, tail);
  const std::int64_t last = count - 1;
  const Time queued = end - service;
  const Time coming = std::max(head, in - gap);
  const Time last_head = head + last * gap;
  const Time last_start = last == 0 ? start : std::max(queued + last * service, coming + last * gap);
  busy_ += count * service;
  waited_ +=
      start - head + sum_of_later(queued, service, coming, gap, last) - last * head - sum(1, last) * gap;
  packets_ += count;
  bytes_ += n * count;
  worked_ = std::max({worked_ + count * service, head + count * service, last_head + service});
  free_ = std::max(end + last * service, in + last * gap);
  note_queue(start - head + service);
  if (last > 0) {
    note_queue(std::max(end, coming + gap) - head - gap + service);
    note_queue(last_start - last_head + service);
  }
  return {start, free_};
}

}  // namespace kbsim::hw
