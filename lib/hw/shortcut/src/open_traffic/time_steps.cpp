#include "time_steps.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {
namespace {

// Lower limit of a step as a fraction of a packet's service time, and upper limit in service times.
constexpr int kShortest = 64;
constexpr int kLongest = 64;
// From this number of nodes on, the data of a step doesn't fit into the first-level cache.
constexpr std::size_t kLarge = 256;

// Reads each word just before its bits: a visit may set bits of later words.
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

// True if packets may cross the link after a node that passes them on.
bool leads_on(const topology::Graph& graph, const topology::Link& link) {
  return graph.node(link.from).passes && (graph.node(link.to).passes || is_endpoint(graph, link.to));
}

// The shortest hop from one of these nodes to the next.
Time least_hop(const Fabric& fabric) {
  Time least = kForever;
  for (const topology::Link& link : fabric.graph().links()) {
    if (leads_on(fabric.graph(), link))
      least = std::min(least, fabric.component(link.from).steady_overhead() + link.wire);
  }
  return least;
}

bool serves_in_order(const LiveLink& link) { return link.rare == nullptr; }

}  // namespace

bool TimeSteps::fits(Machine& machine, const topology::TrafficNetwork& network, Time service) {
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

TimeSteps::TimeSteps(Machine& machine, const topology::TrafficNetwork& network, const Sizes& sizes,
                     Time service)
    : fabric_{machine.fabric()},
      network_{network},
      sizes_{sizes},
      step_{std::min(least_hop(fabric_), std::max(kLongest * service, Time{1}))},
      flow_of_(network.sources.size() * network.sinks.size()) {
  ensure(step_ > Time{0}, "a step takes time");
  add_nodes(network.graph);
  add_links(network.graph);
  sink_.resize(network.graph.nodes().size(), kNone);
  for (std::uint32_t i = 0; i < network.sinks.size(); ++i) sink_[network.sinks[i].value()] = i;
}

void TimeSteps::add_nodes(const topology::Graph& graph) {
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

void TimeSteps::add_links(const topology::Graph& graph) {
  for (std::uint32_t i = 0; i < graph.links().size(); ++i) {
    const LiveLink& live = fabric_.live(LinkId{i});
    Link& link = links_.emplace_back(Link{.lane = live.lane,
                                          .delay = fabric_.component(live.from).steady_overhead(),
                                          .wire = live.wire,
                                          .node = index_[live.to.value()]});
    if (link.node != kNone) link.input = nodes_[link.node].first + live.port - 1;
    for (std::size_t k = 0; k < kSizes; ++k) link.service[k] = live.lane.service(sizes_[k]);
  }
}

void TimeSteps::add(std::size_t source, IEndpoint::Stream stream) {
  const auto index = static_cast<std::uint32_t>(sources_.size());
  sources_.emplace_back(source, std::move(stream));
  next_sends_.push_back({.at = sources_.back().next(), .index = index});
  std::ranges::push_heap(next_sends_, std::greater{}, &NextSend::at);
  next_ = next_sends_.front().at;
}

TimeSteps::Step TimeSteps::begin(Time end) {
  return {.links = links_.data(),
          .inputs = inputs_.data(),
          .keys = keys_.data(),
          .pending = pending_.data(),
          .end = key(end)};
}

void TimeSteps::pass(Time end) {
  end = std::min(end, next_ + step_);
  send_before(end);
  Step step = begin(end);
  if (nodes_.size() > kLarge) {
    pass_on_large(step);
  } else {
    for_each_bit(pending_, [&](std::uint32_t node) { pass_on(step, node); });
  }
  passed_ = end;
  next_ = std::min(next_sends_.front().at, step.earliest == kNever ? kForever : time_of(step.earliest));
}

void TimeSteps::send_before(Time end) {
  Step step = begin(end);
  while (next_sends_.front().at < end) {
    NextSend& next = next_sends_.front();
    StepSource& source = sources_[next.index];
    for (; source.next() < end; source.pop()) send(step, source.source(), source.front());
    next.at = source.next();
    fetch_flow(source);
    sift_first();
  }
}

// Prefetches the flow of its next packet, which is in a later step.
inline void TimeSteps::fetch_flow(const StepSource& source) const {
  if (source.next() != kForever)
    __builtin_prefetch(&flow_of_[flow_index(source.source(), source.front().to)]);
}

// Restores the heap after its first entry has got a later time.
void TimeSteps::sift_first() {
  const NextSend next = next_sends_.front();
  std::size_t place = 0;
  for (std::size_t child = 1; child < next_sends_.size(); child = 2 * place + 1) {
    child += static_cast<std::size_t>(child + 1 < next_sends_.size() &&
                                      next_sends_[child + 1].at < next_sends_[child].at);
    if (next_sends_[child].at >= next.at) break;
    next_sends_[place] = next_sends_[child];
    place = child;
  }
  next_sends_[place] = next;
}

void TimeSteps::send(Step& step, std::size_t source, const IEndpoint::Departure& departure) {
  const Flow& by = flow(source, departure.to);
  Packet& packet = allocate();
  packet.arrival = key(departure.at);
  packet.tail = packet.sent = departure.at;
  packet.link = by.route->value();
  packet.rest = by.route + 1;
  packet.flow = &by;
  packet.size = departure.size == sizes_[0] ? 0 : 1;
  forward(step, packet);
}

// The input of the earliest packet; at equal times the lowest input.
[[gnu::always_inline]] inline std::uint32_t TimeSteps::first_of(const Key* keys, std::uint32_t inputs) {
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

[[gnu::always_inline]] inline void TimeSteps::pass_on(Step& step, std::uint32_t node) {
  const Node here = nodes_[node];
  Key* const keys = step.keys + here.first;
  Input* const inputs = step.inputs + here.first;
  for (;;) {
    const std::uint32_t input = first_of(keys, here.inputs);
    const Key first = keys[input];
    if (first >= step.end) {
      step.earliest = std::min(step.earliest, first);
      step.pending[node / 64] &= ~(std::uint64_t{first == kNever} << (node % 64));
      return;
    }
    Packet& packet = *inputs[input].first;
    inputs[input].first = packet.next;
    keys[input] = packet.next->arrival;
    forward(step, packet);
  }
}

// Prefetches a node's data while other nodes are processed: its inputs, then their packets, then links.
void TimeSteps::pass_on_large(Step& step) {
  constexpr std::size_t kToLinks = 2;
  constexpr std::size_t kToPackets = 4;
  constexpr std::size_t kToInputs = 6;
  visited_.clear();
  for_each_bit(pending_, [this](std::uint32_t node) { visited_.push_back(node); });
  const std::size_t count = visited_.size();
  for (std::size_t i = 0; i < count + kToInputs; ++i) {
    if (i < count) fetch_inputs(step, visited_[i]);
    if (const std::size_t at = i - (kToInputs - kToPackets); at < count)
      each_first(step, visited_[at], [](const Packet& packet) { __builtin_prefetch(&packet, 1); });
    if (const std::size_t at = i - (kToInputs - kToLinks); at < count) {
      each_first(step, visited_[at], [&](const Packet& packet) {
        __builtin_prefetch(&step.links[packet.link], 1);
        __builtin_prefetch(&step.links[packet.link].service, 1);
        __builtin_prefetch(packet.rest);
      });
    }
    if (const std::size_t at = i - kToInputs; at < count) pass_on(step, visited_[at]);
  }
}

inline void TimeSteps::fetch_inputs(const Step& step, std::uint32_t node) const {
  const Node& here = nodes_[node];
  __builtin_prefetch(step.keys + here.first, 1);
  __builtin_prefetch(step.inputs + here.first, 1);
  __builtin_prefetch(step.inputs + here.first + here.inputs - 1, 1);
}

// Visits the first packets that arrive in this step.
template <class Visit>
[[gnu::always_inline]] inline void TimeSteps::each_first(const Step& step, std::uint32_t node,
                                                         Visit visit) const {
  const Node& here = nodes_[node];
  for (std::uint32_t i = here.first; i < here.first + here.inputs; ++i) {
    if (step.keys[i] < step.end) visit(*step.inputs[i].first);
  }
}

// Computes the same as Fabric::forward().
[[gnu::always_inline]] inline void TimeSteps::forward(Step& step, Packet& packet) {
  Link& link = step.links[packet.link];
  const Time head = time_of(packet.arrival);
  const Lane::Slot slot = link.lane.reserve(head + link.delay, packet.tail + link.delay, sizes_[packet.size],
                                            link.service[packet.size]);
  const Time arrival = slot.start + link.wire;
  packet.arrival = key(arrival) | static_cast<Key>(arrival == head);
  packet.tail = slot.end + link.wire;
  if (link.node == kNone) return deliver(packet);
  packet.link = (packet.rest++)->value();
  push(step, link, packet);
}

// Heads arrive by a link one after the other. No branch asks whether others wait there, since it would be
// unpredictable.
[[gnu::always_inline]] inline void TimeSteps::push(Step& step, const Link& link, Packet& packet) {
  Input& to = step.inputs[link.input];
  Key& first = step.keys[link.input];
  const Key arrival = packet.arrival;
  const bool is_first = first == kNever;
  packet.next = &last_of_all_;
  *(is_first ? &to.first : &to.last->next) = &packet;
  to.last = &packet;
  first = is_first ? arrival : first;
  step.earliest = std::min(step.earliest, arrival);
  step.pending[link.node / 64] |= std::uint64_t{1} << (link.node % 64);
}

[[gnu::noinline]] void TimeSteps::deliver(Packet& packet) {
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
                        .under_way = time_of(packet.arrival) - packet.sent});
  last_arrival_ = std::max(last_arrival_, packet.tail);
  deliveries_.push_back({.flow = &flow, .sent = packet.sent, .arrived = packet.tail, .size = packet.size});
  packet.next = std::exchange(free_, &packet);
}

const TimeSteps::Flow& TimeSteps::flow(std::size_t source, NodeId to) {
  const Flow*& known = flow_of_[flow_index(source, to)];
  if (known == nullptr) known = &make_flow(network_.sources[source], to);
  return *known;
}

const TimeSteps::Flow& TimeSteps::make_flow(NodeId from, NodeId to) {
  Path& path = fabric_.path(from, to);
  ensure(!path.route.empty(), "a packet of open traffic crosses a link");
  Flow& fresh = flows_.emplace_back(Flow{.path = &path, .route = path.route.data(), .from = from});
  for (std::size_t k = 0; k < kSizes; ++k) {
    fresh.drain[k] = path.drain(sizes_[k], sizes_[k]);
    fresh.alone[k] = path.overhead + path.wire + fresh.drain[k];
  }
  return fresh;
}

TimeSteps::Packet& TimeSteps::allocate() {
  if (free_ == nullptr) return packets_.emplace_back();
  return *std::exchange(free_, free_->next);
}

void TimeSteps::show_links() {
  for (std::uint32_t i = 0; i < links_.size(); ++i) fabric_.live(LinkId{i}).lane = links_[i].lane;
}

}  // namespace kbsim::hw
