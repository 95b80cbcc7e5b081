#include "kbsim/tl/queue_waits.hpp"

#include <map>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim {
namespace {

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

/// Ends by their rings.
class Rings {
 public:
  explicit Rings(const std::vector<QueueEnd>& ends) {
    for (const QueueEnd& end : ends) by_ring_[end.ring] = &end;
  }
  [[nodiscard]] const QueueEnd* peer_of(const QueueEnd& end) const {
    const auto found = by_ring_.find(end.peer_ring);
    return found == by_ring_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::uint64_t, const QueueEnd*> by_ring_;
};

std::string label(const QueueEnd* end) { return end != nullptr ? end->direction : "(not installed)"; }

void add(Waits& waits, const QueueEnd& end, const std::string& mine, const std::string& theirs, PeCoord to,
         std::string why) {
  if (!waits.runs(to_string(to))) why += ", and no kernel runs there";
  waits.add(to_string(end.pe), to_string(to),
            fmt::format("{} {} ← {} {}: {}", to_string(end.pe), mine, to_string(end.peer), theirs, why));
}

// Commands are issued in their order: one that isn't waits behind those that wait for room.
bool add_unissued(Waits& waits, const QueueEnd& end, const std::string& name, std::int64_t issued) {
  const std::string pe = to_string(end.pe);
  if (issued > 0 || !waits.stalls(pe)) return false;
  waits.add(pe, pe, fmt::format("{} {} ← {}: behind commands that wait for room in the TCM", pe, name, pe));
  return true;
}

std::string not_issued(const Waits& waits, PeCoord there) {
  return waits.stalls(to_string(there)) ? "not issued, and commands there wait for room in the TCM"
                                        : "never issued";
}

void add_recv(Waits& waits, const QueueEnd& end, const QueueEnd* peer, const std::string& name) {
  const bool of_any = name == recv_name("");
  if (!of_any && add_unissued(waits, end, name, end.receives)) return;
  if (peer == nullptr || peer->sends == 0)
    return add(waits, end, name, send_name(label(peer)), end.peer, not_issued(waits, end.peer));
  const std::string why =
      fmt::format("waits for a slot, while {} keeps all {} for tiles that it has not let go",
                  to_string(end.pe), end.slots);
  add(waits, end, name, send_name(peer->direction), end.pe, why);
}

void add_send(Waits& waits, const QueueEnd& end, const QueueEnd* peer) {
  if (add_unissued(waits, end, send_name(end.direction), end.sends)) return;
  const bool kept = peer != nullptr && peer->my_tail < peer->taken;
  add(waits, end, send_name(end.direction), recv_name(label(peer)), end.peer,
      kept ? "was given a tile that it has not let go" : not_issued(waits, end.peer));
}

}  // namespace

std::string send_name(std::string_view direction) { return fmt::format("send {}", direction); }
std::string recv_name(std::string_view direction) {
  return direction.empty() ? "recv of any" : fmt::format("recv {}", direction);
}

void add_queue_waits(Waits& waits, const std::vector<QueueEnd>& ends) {
  const Rings rings{ends};
  for (const QueueEnd& end : ends) {
    if (!end.in_use) continue;
    const std::string_view what = waits.awaited(to_string(end.pe));
    for (const std::string& name : {recv_name(end.direction), recv_name("")}) {
      if (what == "event " + name) add_recv(waits, end, rings.peer_of(end), name);
    }
    if (what == "event " + send_name(end.direction)) add_send(waits, end, rings.peer_of(end));
  }
}

void add_queue_counters(Waits& waits, const std::vector<QueueEnd>& ends) {
  const Rings rings{ends};
  for (const QueueEnd& end : ends) {
    if (waits.known(to_string(end.pe)))
      waits.add_counters(to_string(end.pe), counters(end, rings.peer_of(end)));
  }
}

WaitGraph queue_waits(const std::vector<Waiting>& waiting, const std::vector<QueueEnd>& ends) {
  Waits waits{waiting};
  add_queue_waits(waits, ends);
  add_queue_counters(waits, ends);
  return waits.take();
}

std::string told_of(const LeftOver& left, std::string_view why) {
  return fmt::format(
      "{} sent {} {} to {} at {}, which has not received it from '{}': {}; receive it, or declare "
      "carries_over: "
      "true of the algorithm if a later launch is to",
      to_string(left.from), to_string(left.shape), to_string(left.dtype), to_string(left.to),
      to_string(to_place(left.at)), left.direction, why);
}

}  // namespace kbsim
