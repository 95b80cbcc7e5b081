#include "time_steps.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {
namespace {

// Lower limit of a stride as a fraction of a packet's service time, and upper limit in service times.
constexpr int kShortest = 64;
constexpr int kLongest = 64;
// From this number of nodes on, the data of a stride doesn't fit into the first-level cache.
constexpr std::size_t kLarge = 256;

// Reads each word when its turn comes.
template <class Visit>
[[gnu::always_inline]] inline void for_each_bit(const std::vector<std::uint64_t>& words, Visit visit) {
  for (std::uint32_t word = 0; word < words.size(); ++word) {
    for (std::uint64_t left = words[word]; left != 0; left &= left - 1)
      visit(word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
  }
}

bool is_endpoint(const topology::Graph& graph, NodeId node) {
  return graph.node(node).kind == topology::NodeKind::endpoint;
}

bool ends_routes(const topology::Graph& graph, NodeId node) {
  return is_endpoint(graph, node) && graph.node(node).model->impl == "builtin.endpoint";
}

// Packets may cross it after a node that passes them on.
bool leads_on(const topology::Graph& graph, const topology::Link& link) {
  return graph.node(link.from).passes && (graph.node(link.to).passes || is_endpoint(graph, link.to));
}

// The shortest hop from one of these nodes to the next.
Time least_hop(const Fabric& fabric) {
  Time least = kForever;
  for (const topology::Link& link : fabric.graph().links()) {
    if (leads_on(fabric.graph(), link))
      least = std::min(least, fabric.component(link.from).overhead() + link.wire);
  }
  return least;
}

bool serves_in_order(const LiveLink& link) { return link.rare == nullptr; }

}  // namespace

bool Strides::fit(Machine& machine, const topology::TrafficNetwork& network, Time service) {
  Fabric& fabric = machine.fabric();
  const topology::Graph& graph = fabric.graph();
  for (const auto* ends : {&network.sources, &network.sinks}) {
    if (!std::ranges::all_of(*ends, [&](NodeId node) { return ends_routes(graph, node); })) return false;
  }
  for (std::uint32_t i = 0; i < graph.nodes().size(); ++i) {
    if (graph.nodes()[i].passes && fabric.arrivals(NodeId{i}) == nullptr) return false;
  }
  for (std::uint32_t i = 0; i < graph.links().size(); ++i) {
    const topology::Link& link = graph.links()[i];
    const bool is_crossed = leads_on(graph, link) || is_endpoint(graph, link.from);
    if (is_crossed && !serves_in_order(fabric.live(LinkId{i}))) return false;
  }
  return least_hop(fabric) >= service / kShortest;
}

Strides::Strides(Machine& machine, const topology::TrafficNetwork& network, const Sizes& sizes, Time service)
    : fabric_{machine.fabric()},
      network_{network},
      sizes_{sizes},
      stride_{std::min(least_hop(fabric_), std::max(kLongest * service, Time{1}))},
      flow_of_(network.sources.size() * network.sinks.size()) {
  ensure(stride_ > Time{0}, "a stride takes time");
  add_nodes(network.graph);
  add_links(network.graph);
  sink_.resize(network.graph.nodes().size(), kNone);
  for (std::uint32_t i = 0; i < network.sinks.size(); ++i) sink_[network.sinks[i].value()] = i;
}

void Strides::add_nodes(const topology::Graph& graph) {
  std::vector<std::uint32_t> inputs(graph.nodes().size());
  for (const topology::Link& link : graph.links()) ++inputs[link.to.value()];
  std::uint32_t all = 0;
  for (std::uint32_t i = 0; i < graph.nodes().size(); ++i) {
    const bool passes = graph.nodes()[i].passes;
    index_.push_back(passes ? static_cast<std::uint32_t>(nodes_.size()) : kNone);
    const std::uint32_t places = std::max(inputs[i], kUsual);
    if (passes) nodes_.push_back({.first = std::exchange(all, all + places), .inputs = places});
  }
  inputs_.resize(all, {.first = &last_of_all_, .last = &last_of_all_});
  keys_.resize(all, kNever);
  pending_.resize(nodes_.size() / 64 + 1);
}

void Strides::add_links(const topology::Graph& graph) {
  for (std::uint32_t i = 0; i < graph.links().size(); ++i) {
    const LiveLink& live = fabric_.live(LinkId{i});
    Link& link = links_.emplace_back(Link{.lane = live.lane,
                                          .delay = fabric_.component(live.from).overhead(),
                                          .wire = live.wire,
                                          .node = index_[live.to.value()]});
    if (link.node != kNone) link.input = nodes_[link.node].first + live.port - 1;
    for (std::size_t k = 0; k < kSizes; ++k) link.service[k] = live.lane.rate().serialization(sizes_[k]);
  }
}

void Strides::add(std::size_t source, IEndpoint::Stream stream) {
  const auto index = static_cast<std::uint32_t>(sources_.size());
  sources_.emplace_back(source, std::move(stream));
  turns_.push_back({.at = sources_.back().next(), .index = index});
  std::ranges::push_heap(turns_, std::greater{}, &Turn::at);
  next_ = turns_.front().at;
}

Strides::Stride Strides::begin(Time end) {
  return {.links = links_.data(),
          .inputs = inputs_.data(),
          .keys = keys_.data(),
          .pending = pending_.data(),
          .end = key(end)};
}

void Strides::pass(Time end) {
  end = std::min(end, next_ + stride_);
  send_before(end);
  Stride stride = begin(end);
  if (nodes_.size() > kLarge) {
    pass_on_large(stride);
  } else {
    for_each_bit(pending_, [&](std::uint32_t node) { pass_on(stride, node); });
  }
  passed_ = end;
  next_ = std::min(turns_.front().at, stride.earliest == kNever ? kForever : time_of(stride.earliest));
}

void Strides::send_before(Time end) {
  Stride stride = begin(end);
  while (turns_.front().at < end) {
    Turn& turn = turns_.front();
    StrideSource& source = sources_[turn.index];
    for (; source.next() < end; source.pop()) send(stride, source.source(), source.front());
    turn.at = source.next();
    fetch_flow(source);
    settle_first();
  }
}

// Prefetches the flow of its next packet, which is in a later stride.
inline void Strides::fetch_flow(const StrideSource& source) const {
  if (source.next() != kForever)
    __builtin_prefetch(&flow_of_[flow_index(source.source(), source.front().to)]);
}

// The heap's first entry has got a later time.
void Strides::settle_first() {
  const Turn turn = turns_.front();
  std::size_t place = 0;
  for (std::size_t child = 1; child < turns_.size(); child = 2 * place + 1) {
    child += static_cast<std::size_t>(child + 1 < turns_.size() && turns_[child + 1].at < turns_[child].at);
    if (turns_[child].at >= turn.at) break;
    turns_[place] = turns_[child];
    place = child;
  }
  turns_[place] = turn;
}

void Strides::send(Stride& stride, std::size_t source, const IEndpoint::Departure& departure) {
  const Flow& by = flow(source, departure.to);
  Packet& packet = allocate();
  packet.comes = key(departure.at);
  packet.tail = packet.sent = departure.at;
  packet.link = by.route->value();
  packet.way = by.route + 1;
  packet.flow = &by;
  packet.size = departure.size == sizes_[0] ? 0 : 1;
  go(stride, packet);
}

// The input of the earliest packet; at equal times the lowest input.
[[gnu::always_inline]] inline std::uint32_t Strides::first_of(const Key* keys, std::uint32_t inputs) {
  std::uint32_t input = 0;
  Key first = keys[0];
  const auto look = [&](std::uint32_t i) {
    const bool is_earlier = keys[i] < first;
    first = is_earlier ? keys[i] : first;
    input = is_earlier ? i : input;
  };
  for (std::uint32_t i = 1; i < kUsual; ++i) look(i);
  if (inputs > kUsual) [[unlikely]] {
    for (std::uint32_t i = kUsual; i < inputs; ++i) look(i);
  }
  return input;
}

[[gnu::always_inline]] inline void Strides::pass_on(Stride& stride, std::uint32_t node) {
  const Node here = nodes_[node];
  Key* const keys = stride.keys + here.first;
  Input* const inputs = stride.inputs + here.first;
  for (;;) {
    const std::uint32_t input = first_of(keys, here.inputs);
    const Key first = keys[input];
    if (first >= stride.end) {
      stride.earliest = std::min(stride.earliest, first);
      stride.pending[node / 64] &= ~(std::uint64_t{first == kNever} << (node % 64));
      return;
    }
    Packet& packet = *inputs[input].first;
    inputs[input].first = packet.next;
    keys[input] = packet.next->comes;
    go(stride, packet);
  }
}

// Prefetches a node's data while other nodes are processed: its inputs, then their packets, then links.
void Strides::pass_on_large(Stride& stride) {
  constexpr std::size_t kToLinks = 2;
  constexpr std::size_t kToPackets = 4;
  constexpr std::size_t kToInputs = 6;
  visited_.clear();
  for_each_bit(pending_, [this](std::uint32_t node) { visited_.push_back(node); });
  const std::size_t count = visited_.size();
  for (std::size_t i = 0; i < count + kToInputs; ++i) {
    if (i < count) fetch_inputs(stride, visited_[i]);
    if (const std::size_t at = i - (kToInputs - kToPackets); at < count)
      each_first(stride, visited_[at], [](const Packet& packet) { __builtin_prefetch(&packet, 1); });
    if (const std::size_t at = i - (kToInputs - kToLinks); at < count) {
      each_first(stride, visited_[at], [&](const Packet& packet) {
        __builtin_prefetch(&stride.links[packet.link], 1);
        __builtin_prefetch(&stride.links[packet.link].service, 1);
        __builtin_prefetch(packet.way);
      });
    }
    if (const std::size_t at = i - kToInputs; at < count) pass_on(stride, visited_[at]);
  }
}

inline void Strides::fetch_inputs(const Stride& stride, std::uint32_t node) const {
  const Node& here = nodes_[node];
  __builtin_prefetch(stride.keys + here.first, 1);
  __builtin_prefetch(stride.inputs + here.first, 1);
  __builtin_prefetch(stride.inputs + here.first + here.inputs - 1, 1);
}

// Visits the first packets that arrive in this stride.
template <class Visit>
[[gnu::always_inline]] inline void Strides::each_first(const Stride& stride, std::uint32_t node,
                                                       Visit visit) const {
  const Node& here = nodes_[node];
  for (std::uint32_t i = here.first; i < here.first + here.inputs; ++i) {
    if (stride.keys[i] < stride.end) visit(*stride.inputs[i].first);
  }
}

// The same as Fabric::forward().
[[gnu::always_inline]] inline void Strides::go(Stride& stride, Packet& packet) {
  Link& link = stride.links[packet.link];
  const Time head = time_of(packet.comes);
  const Lane::Slot slot = link.lane.reserve(head + link.delay, packet.tail + link.delay, sizes_[packet.size],
                                            link.service[packet.size]);
  const Time comes = slot.start + link.wire;
  packet.comes = key(comes) | static_cast<Key>(comes == head);
  packet.tail = slot.end + link.wire;
  if (link.node == kNone) return deliver(packet);
  packet.link = (packet.way++)->value();
  push(stride, link, packet);
}

// Heads arrive by a link one after the other. No branch asks whether others wait there, since it would be
// unpredictable.
[[gnu::always_inline]] inline void Strides::push(Stride& stride, const Link& link, Packet& packet) {
  Input& to = stride.inputs[link.input];
  Key& first = stride.keys[link.input];
  const Key comes = packet.comes;
  const bool is_first = first == kNever;
  packet.next = &last_of_all_;
  *(is_first ? &to.first : &to.last->next) = &packet;
  to.last = &packet;
  first = is_first ? comes : first;
  stride.earliest = std::min(stride.earliest, comes);
  stride.pending[link.node / 64] |= std::uint64_t{1} << (link.node % 64);
}

[[gnu::noinline]] void Strides::deliver(Packet& packet) {
  const Flow& flow = *packet.flow;
  Path& path = *flow.path;
  const Split split{.overhead = path.overhead,
                    .wire = path.wire,
                    .drain = flow.drain[packet.size],
                    .queueing = packet.tail - packet.sent - flow.alone[packet.size]};
  if (split.queueing < Time{0}) [[unlikely]]
    throw_internal("physics audit: a packet from " + network_.graph.node(flow.from).name + " beat its bound");
  fabric_.passed(path, {.messages = 1,
                        .bytes = sizes_[packet.size],
                        .split = split,
                        .under_way = time_of(packet.comes) - packet.sent});
  last_arrival_ = std::max(last_arrival_, packet.tail);
  deliveries_.push_back({.flow = &flow, .sent = packet.sent, .arrived = packet.tail, .size = packet.size});
  packet.next = std::exchange(free_, &packet);
}

const Strides::Flow& Strides::flow(std::size_t source, NodeId to) {
  const Flow*& known = flow_of_[flow_index(source, to)];
  if (known == nullptr) known = &make_flow(network_.sources[source], to);
  return *known;
}

const Strides::Flow& Strides::make_flow(NodeId from, NodeId to) {
  Path& path = fabric_.path(from, to);
  ensure(!path.route.empty(), "a packet of open traffic crosses a link");
  Flow& fresh = flows_.emplace_back(Flow{.path = &path, .route = path.route.data(), .from = from});
  for (std::size_t k = 0; k < kSizes; ++k) {
    fresh.drain[k] = serialization(sizes_[k], path.slowest);
    fresh.alone[k] = path.overhead + path.wire + fresh.drain[k];
  }
  return fresh;
}

Strides::Packet& Strides::allocate() {
  if (free_ == nullptr) return packets_.emplace_back();
  return *std::exchange(free_, free_->next);
}

void Strides::show_links() {
  for (std::uint32_t i = 0; i < links_.size(); ++i) fabric_.live(LinkId{i}).lane = links_[i].lane;
}

}  // namespace kbsim::hw
