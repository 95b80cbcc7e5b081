#include "kbsim/tl/queue_waits.hpp"

#include <map>

#include <fmt/format.h>

namespace kbsim {
namespace {

std::string place_of(const Waiting& kernel) {
  const std::size_t on = kernel.process.rfind(" on ");
  return on == std::string::npos ? "" : kernel.process.substr(on + 4);
}

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

class Builder {
 public:
  Builder(const std::vector<Waiting>& waiting, const std::vector<QueueEnd>& ends) : ends_{ends} {
    for (const QueueEnd& end : ends) by_ring_[end.ring] = &end;
    for (const Waiting& one : waiting) {
      if (const std::string place = place_of(one); !place.empty()) kernels_[place] = &one;
    }
  }

  WaitGraph build() {
    for (const QueueEnd& end : ends_) {
      const auto kernel = kernels_.find(to_string(end.pe));
      if (end.in_use && kernel != kernels_.end()) add_waits(end, kernel->second->what);
    }
    for (const QueueEnd& end : ends_) {
      if (const auto node = nodes_.find(end.pe); node != nodes_.end())
        graph_.nodes[node->second].counters.push_back(counters(end, peer_of(end)));
    }
    return std::move(graph_);
  }

 private:
  // What the kernel awaits, if that is something of this queue.
  void add_waits(const QueueEnd& end, std::string_view what) {
    for (const std::string& name : {recv_name(end.direction), recv_name("")}) {
      if (what == "event " + name) add_recv(end, name);
    }
    if (what == "event " + send_name(end.direction)) add_send(end);
  }

  void add_recv(const QueueEnd& end, const std::string& name) {
    const QueueEnd* const peer = peer_of(end);
    if (peer == nullptr || peer->sends == 0)
      return add(end, name, send_name(label(peer)), end.peer, "never issued");
    const std::string why =
        fmt::format("waits for a slot, while {} keeps all {} for tiles that it has not let go",
                    to_string(end.pe), end.slots);
    add(end, name, send_name(peer->direction), end.pe, why);
  }

  void add_send(const QueueEnd& end) {
    const QueueEnd* const peer = peer_of(end);
    const bool kept = peer != nullptr && peer->my_tail < peer->taken;
    add(end, send_name(end.direction), recv_name(label(peer)), end.peer,
        kept ? "was given a tile that it has not let go" : "never issued");
  }

  void add(const QueueEnd& end, const std::string& mine, const std::string& theirs, PeCoord to,
           std::string why) {
    if (!kernels_.contains(to_string(to))) why += ", and no kernel runs there";
    graph_.edges.push_back(
        {.from = node(end.pe),
         .to = node(to),
         .why = fmt::format("{} {} ← {} {}: {}", to_string(end.pe), mine, to_string(end.peer), theirs, why)});
  }

  std::size_t node(PeCoord pe) {
    const auto [found, fresh] = nodes_.try_emplace(pe, graph_.nodes.size());
    if (!fresh) return found->second;
    WaitGraph::Node node{.name = to_string(pe), .waiting = {}, .counters = {}};
    if (const auto kernel = kernels_.find(node.name); kernel != kernels_.end())
      node.waiting = *kernel->second;
    graph_.nodes.push_back(std::move(node));
    return found->second;
  }

  [[nodiscard]] const QueueEnd* peer_of(const QueueEnd& end) const {
    const auto found = by_ring_.find(end.peer_ring);
    return found == by_ring_.end() ? nullptr : found->second;
  }

  static std::string label(const QueueEnd* end) {
    return end != nullptr ? end->direction : "(not installed)";
  }

  const std::vector<QueueEnd>& ends_;
  std::map<std::uint64_t, const QueueEnd*> by_ring_;
  std::map<std::string, const Waiting*> kernels_;  // by the names of their PEs
  std::map<PeCoord, std::size_t> nodes_;
  WaitGraph graph_;
};

}  // namespace

std::string send_name(std::string_view direction) { return fmt::format("send {}", direction); }
std::string recv_name(std::string_view direction) {
  return direction.empty() ? "recv of any" : fmt::format("recv {}", direction);
}

WaitGraph queue_waits(const std::vector<Waiting>& waiting, const std::vector<QueueEnd>& ends) {
  return Builder{waiting, ends}.build();
}

}  // namespace kbsim
