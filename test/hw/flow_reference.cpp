#include "flow_reference.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "kbsim/topology/route.hpp"

#include "idle.hpp"

namespace kbsim::hw::test {
namespace {

constexpr Bytes kRequest = 4_KiB;

// A first in, first out server, as of a link or of a port.
struct Server {
  Bandwidth rate = Bandwidth::gbs(1.0);
  Time free{};

  std::pair<Time, Time> serve(Time head, Time tail, Bytes n) {
    const Time start = std::max(head, free);
    free = std::max(start + rate.serialization(n), tail);
    return {start, free};
  }
};

/// In the order of a tile's messages.
enum class Kind : std::uint8_t { write, filled, request, data, credit };

struct Message {
  Kind kind;
  std::size_t tile;
  Bytes asks;  // of a request
  NodeId from, to;
  std::uint64_t sequence;  // of its source
  std::size_t packets;     // that haven't arrived
  Time served{};
};

// A packet at a node. Events at one time are ordered by `step`.
struct Arrival {
  Time at{};
  int step = 0;
  std::size_t port = 0;  // 0: it starts here
  std::size_t ordinal = 0;
  std::size_t hop = 0;
  NodeId node;
  std::shared_ptr<Message> message;
  Bytes size;
  Time head{};
  Time tail{};

  [[nodiscard]] auto key() const {
    return std::tuple{at,
                      step,
                      node.value(),
                      port,
                      head,
                      message->kind == Kind::filled,
                      message->to.value(),
                      message->sequence,
                      ordinal};
  }
  bool operator<(const Arrival& other) const { return key() < other.key(); }
};

class Reference {
 public:
  Reference(const topology::Graph& graph, const QueueFlow& flow)
      : graph_{graph},
        flow_{flow},
        sender_{graph.pe(flow.from)},
        receiver_{graph.pe(flow.to)},
        source_{memory_model(graph, sender_.tcm)},
        slots_{memory_model(graph, flow.memory)},
        target_{memory_model(graph, receiver_.tcm)},
        source_port_{.rate = source_.read},
        port_{.rate = slots_.read},
        own_port_{.rate = slots_.read},
        target_port_{.rate = target_.write},
        read_port_{flow.apart ? own_port_ : port_},
        requests_(flow.issued.size()),
        received_(flow.issued.size()) {}

  std::vector<Time> run() {
    send_what_fits({}, 0);
    while (!todo_.empty()) {
      const Arrival now = *todo_.begin();
      todo_.erase(todo_.begin());
      const topology::Route& route = routes_(now.message->from, now.message->to);
      if (now.hop == route.size()) {
        arrive(now);
      } else {
        cross(now, route[now.hop], now.hop + 1 == route.size());
      }
    }
    return received_;
  }

 private:
  // Data for a memory is served while it arrives; any other message counts from the arrival of its tail.
  static bool cut_through(Kind kind) { return kind == Kind::write || kind == Kind::data; }

  void cross(const Arrival& now, LinkId id, bool last) {
    const topology::Link& link = graph_.link(id);
    Server& server = links_.try_emplace(id, Server{.rate = link.bandwidth}).first->second;
    const Time o = overhead(graph_.node(now.node));
    const auto [start, end] = server.serve(now.head + o, now.tail + o, now.size);
    Arrival next = now;
    next.head = start + link.wire;
    next.tail = end + link.wire;
    next.at = last && !cut_through(now.message->kind) ? next.tail : next.head;
    next.step = next.at == now.at ? now.step + 1 : 0;
    next.port = ports_[id.value()];
    next.node = link.to;
    ++next.hop;
    todo_.insert(next);
  }

  std::shared_ptr<Message> message(Kind kind, std::size_t tile, NodeId from, NodeId to, std::size_t packets) {
    return std::make_shared<Message>(Message{.kind = kind,
                                             .tile = tile,
                                             .asks = {},
                                             .from = from,
                                             .to = to,
                                             .sequence = ++sequences_[from],
                                             .packets = packets});
  }

  void inject(const std::shared_ptr<Message>& message, std::size_t ordinal, Bytes size, Time head, Time tail,
              int step) {
    todo_.insert({.at = head,
                  .step = step,
                  .ordinal = ordinal,
                  .node = message->from,
                  .message = message,
                  .size = size,
                  .head = head,
                  .tail = tail});
  }

  // A short message, all of it there at once.
  std::shared_ptr<Message> send(Kind kind, std::size_t tile, NodeId from, NodeId to, const Packets& packets,
                                Time at, int step) {
    const auto reserved = message(kind, tile, from, to, packets.size());
    for (std::size_t i = 0; i < packets.size(); ++i) inject(reserved, i, packets[i], at, at, step);
    return reserved;
  }

  void arrive(const Arrival& now) {
    Message& message = *now.message;
    if (message.kind == Kind::write)
      message.served = port_.serve(now.head + slots_.access, now.tail + slots_.access, now.size).second;
    if (message.kind == Kind::data)
      message.served =
          target_port_.serve(now.head + target_.access, now.tail + target_.access, now.size).second;
    if (--message.packets > 0) return;
    switch (message.kind) {
      case Kind::write:
        send(Kind::filled, message.tile, flow_.memory, receiver_.ipcq, control(graph_), message.served, 0);
        break;
      case Kind::filled: fetch(message.tile, now.at, now.step + 1); break;
      case Kind::request: answer(message, now.at, now.step + 1); break;
      case Kind::data: finish(message); break;
      case Kind::credit: ++credits_, send_what_fits(now.at, now.step + 1); break;
    }
  }

  void send_what_fits(Time now, int step) {
    while (sent_ < flow_.issued.size() && sent_ < credits_ + static_cast<std::size_t>(flow_.slots)) {
      const Time issued = flow_.issued[sent_];
      const Packets packets = cut(graph_, flow_.tile);
      const auto write = message(Kind::write, sent_, sender_.tcm, flow_.memory, packets.size());
      sender_free_ = std::max({sender_free_, now, issued});
      for (std::size_t i = 0; i < packets.size(); ++i) {
        const Time ready = sender_free_ + source_.access;
        const auto [start, end] = source_port_.serve(ready, ready, packets[i]);
        inject(write, i, packets[i], start, end, start == now ? step : 0);
        sender_free_ += std::max(source_.read.serialization(packets[i]), dma_pace(packets[i]));
      }
      ++sent_;
    }
  }

  void fetch(std::size_t tile, Time now, int step) {
    for (Bytes left = flow_.tile; left > 0_B;) {
      const Bytes size = std::min(left, kRequest);
      receiver_free_ = std::max(receiver_free_, now);
      const auto request = send(Kind::request, tile, receiver_.dma, flow_.memory, control(graph_),
                                receiver_free_, receiver_free_ == now ? step : 0);
      request->asks = size;
      receiver_free_ += dma_pace(graph_.spec().system.control_bytes);
      ++requests_[tile];
      left -= size;
    }
  }

  void answer(const Message& request, Time now, int step) {
    const Packets packets = cut(graph_, request.asks);
    const auto data = message(Kind::data, request.tile, flow_.memory, receiver_.tcm, packets.size());
    for (std::size_t i = 0; i < packets.size(); ++i) {
      const auto [start, end] = read_port_.serve(now + slots_.access, now + slots_.access, packets[i]);
      inject(data, i, packets[i], start, end, start == now ? step : 0);
    }
  }

  void finish(const Message& data) {
    Time& received = received_[data.tile];
    received = std::max(received, data.served);
    if (--requests_[data.tile] > 0) return;
    send(Kind::credit, data.tile, receiver_.ipcq, sender_.ipcq, cut(graph_, flow_.credit), received, 0);
  }

  [[nodiscard]] Time dma_pace(Bytes n) const { return graph_.spec().pe.link.serialization(n); }

  const topology::Graph& graph_;
  const QueueFlow& flow_;
  const topology::PeNodes& sender_;
  const topology::PeNodes& receiver_;
  MemoryModel source_, slots_, target_;
  Server source_port_, port_, own_port_, target_port_;
  Server& read_port_;
  Time sender_free_{};    // its DMA
  Time receiver_free_{};  // its DMA
  topology::Routes routes_{graph_};
  std::vector<std::size_t> ports_ = ports_of(graph_);
  std::map<LinkId, Server> links_;
  std::map<NodeId, std::uint64_t> sequences_;
  std::set<Arrival> todo_;
  std::size_t sent_ = 0;
  std::size_t credits_ = 0;
  std::vector<std::size_t> requests_;  // of each tile, that aren't answered
  std::vector<Time> received_;
};

}  // namespace

std::vector<Time> reference_flow(const topology::Graph& graph, const QueueFlow& flow) {
  return Reference{graph, flow}.run();
}

}  // namespace kbsim::hw::test
