#include "kbsim/tl/queue_waits.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim {
namespace {

constexpr Dir kNotInstalled = "(not installed)";

WaitGraph::Counters counters(const QueueEnd& end, const QueueEnd* peer) {
  return {.of = fmt::format("{} {} with {} {}", to_string(end.pe), end.direction, to_string(end.peer),
                            peer != nullptr ? peer->direction : "(nothing)"),
          .values = {{"slots", end.slots},
                     {"my_head", end.my_head},
                     {"peer_tail", end.peer_tail},
                     {"peer_head", end.peer_head},
                     {"taken", end.taken},
                     {"my_tail", end.my_tail},
                     {"sends_waiting", end.sends},
                     {"recvs_waiting", end.receives}}};
}

/// Ends by ring and PE. The PE is needed because both ends of a queue of one direction name the same ring.
class Rings {
 public:
  explicit Rings(const std::vector<QueueEnd>& ends) {
    for (const QueueEnd& end : ends) by_ring_[{end.ring, end.pe}] = &end;
  }
  [[nodiscard]] const QueueEnd* peer_of(const QueueEnd& end) const {
    const auto found = by_ring_.find({end.peer_ring, end.peer});
    return found == by_ring_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::pair<std::uint64_t, PeCoord>, const QueueEnd*> by_ring_;
};

Dir direction(const QueueEnd& end) { return Dir{end.direction}; }

// The peer's send or recv, by the peer's label of the queue.
std::string send_of(const QueueEnd* peer) {
  return SendWait{peer != nullptr ? direction(*peer) : kNotInstalled}.text();
}
std::string recv_of(const QueueEnd* peer) {
  return RecvWait{peer != nullptr ? direction(*peer) : kNotInstalled}.text();
}

void add(Waits& waits, const QueueEnd& end, const std::string& mine, const std::string& theirs, PeCoord to,
         std::string why) {
  if (!waits.runs(KernelOn{to})) why += ", and no kernel runs there";
  waits.add(KernelOn{end.pe}, KernelOn{to},
            fmt::format("{} {} ← {} {}: {}", to_string(end.pe), mine, to_string(end.peer), theirs, why));
}

// Commands are issued in order: an unissued command waits for earlier ones that wait for room in the TCM.
bool add_unissued(Waits& waits, const QueueEnd& end, const std::string& wait, std::int64_t issued) {
  if (issued > 0 || !waits.stalls(end.pe)) return false;
  const std::string pe = to_string(end.pe);
  waits.add(KernelOn{end.pe}, KernelOn{end.pe},
            fmt::format("{} {} ← {}: after commands that wait for room in the TCM", pe, wait, pe));
  return true;
}

std::string not_issued(const Waits& waits, PeCoord there) {
  return waits.stalls(there) ? "not issued, and commands there wait for room in the TCM" : "never issued";
}

void add_recv(Waits& waits, const QueueEnd& end, const QueueEnd* peer, const RecvWait& wait) {
  const bool of_any = wait.from == Dir::any;
  if (!of_any && add_unissued(waits, end, wait.text(), end.receives)) return;
  if (peer == nullptr || peer->sends == 0)
    return add(waits, end, wait.text(), send_of(peer), end.peer, not_issued(waits, end.peer));
  const std::string why =
      fmt::format("waits for a slot, while {} keeps all {} for tiles that it has not let go",
                  to_string(end.pe), end.slots);
  add(waits, end, wait.text(), send_of(peer), end.pe, why);
}

void add_send(Waits& waits, const QueueEnd& end, const QueueEnd* peer, const SendWait& wait) {
  if (add_unissued(waits, end, wait.text(), end.sends)) return;
  const bool kept = peer != nullptr && peer->my_tail < peer->taken;
  add(waits, end, wait.text(), recv_of(peer), end.peer,
      kept ? "was given a tile that it has not let go" : not_issued(waits, end.peer));
}

}  // namespace

void add_queue_waits(Waits& waits, const std::vector<QueueEnd>& ends) {
  const Rings rings{ends};
  for (const QueueEnd& end : ends) {
    if (!end.in_use) continue;
    const Identity awaited = waits.awaited(KernelOn{end.pe});
    const auto* recv = awaited.as<RecvWait>();
    const auto* send = awaited.as<SendWait>();
    const bool may_come =
        recv != nullptr && receives(end.flow) && (recv->from == Dir::any || recv->from == direction(end));
    if (may_come) add_recv(waits, end, rings.peer_of(end), *recv);
    if (send != nullptr && send->to == direction(end)) add_send(waits, end, rings.peer_of(end), *send);
  }
}

void add_queue_counters(Waits& waits, const std::vector<QueueEnd>& ends) {
  const Rings rings{ends};
  for (const QueueEnd& end : ends) {
    if (waits.known(KernelOn{end.pe}))
      waits.add_counters(KernelOn{end.pe}, counters(end, rings.peer_of(end)));
  }
}

std::string wrong_way(std::string_view direction, PeCoord pe, Flow flow) {
  return fmt::format("queue '{}' on {} {}", direction, to_string(pe), limit_of(flow));
}

std::string describe(const LeftOver& left, std::string_view why) {
  return fmt::format(
      "{} sent {} {} to {} at {}, which has not received it from '{}': {}; receive it, or declare "
      "carries_over: true of the algorithm if a later launch is to",
      to_string(left.from), to_string(left.shape), to_string(left.dtype), to_string(left.to),
      to_string(to_place(left.at)), left.direction, why);
}

}  // namespace kbsim
