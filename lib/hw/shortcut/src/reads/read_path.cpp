#include "read_path.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/hw/fabric/component.hpp"

#include "../neighbours.hpp"
#include "../trains/reservations.hpp"

namespace kbsim::hw {

bool ReadPath::find(Fabric& fabric, NodeId dma, NodeId memory, NodeId tcm) {
  if (std::exchange(memory_, memory) == memory && fabric_ != nullptr) return found_;
  fabric_ = &fabric;
  reservations_ = &Reservations::of(fabric);
  dma_ = dma;
  tcm_ = tcm;
  found_ = false;
  from_ = fabric.component(memory).contract().memory;
  into_ = fabric.component(tcm).contract().memory;
  const bool is_slice = fabric.graph().node(memory).kind == topology::NodeKind::hbm_ctrl;
  if (!is_slice || from_ == nullptr || into_ == nullptr || !fabric.component(tcm).takes_heads()) return false;
  out_ = &fabric.path(dma, memory);
  back_ = &fabric.path(memory, tcm, TrafficClass::response);
  fabric.take(*out_);
  fabric.take(*back_);
  return found_ = find_links();
}

ReadPath::Segment ReadPath::segment(LinkId id) const {
  LiveLink& link = fabric_->live(id);
  return {.link = &link, .overhead = fabric_->component(link.from).steady_overhead(), .wire = link.wire};
}

// The path leads from the DMA over the crossbar to the slice, and back. Any other packet to one of the two
// memories or to the DMA first passes one of these links, or the link from the router to the DMA.
bool ReadPath::find_links() {
  const topology::Graph& graph = fabric_->graph();
  if (out_->route.size() != 2 || back_->route.size() != 3) return false;
  segments_ = {segment(out_->route[0]),  segment(out_->route[1]),  {}, segment(back_->route[0]),
               segment(back_->route[1]), segment(back_->route[2]), {}};
  const NodeId middle = segments_[1].link->from;
  const bool turns_there =
      segments_[4].link->from == middle && segments_[5].link->from == dma_ && segments_[5].link->to == tcm_;
  if (!turns_there || fabric_->arrivals(middle) == nullptr || !all_take_time_to(*fabric_, middle))
    return false;
  if (!fabric_->takes_time(*segments_[0].link) || !fabric_->takes_time(*segments_[3].link)) return false;
  if (fabric_->takes_time(*segments_[5].link) || graph.out(memory_).size() != 1) return false;
  claimed_ = {segments_[0].link, segments_[1].link, segments_[3].link,
              segments_[4].link, segments_[5].link, nullptr};
  if (links_to(*fabric_, memory_).size() != 1 || links_to(*fabric_, tcm_).size() != 1) return false;
  for (LiveLink* const link : links_to(*fabric_, dma_)) {
    const bool inside = link->from == tcm_ || graph.node(link->from).kind == topology::NodeKind::pe_ipcq;
    if (inside || link == segments_[4].link) continue;
    if (claimed_.back() != nullptr || fabric_->arrivals(link->from) == nullptr) return false;
    claimed_.back() = link;
  }
  control_ = graph.spec().system.control_bytes;
  latency_ = from_->time_to(false);
  tcm_latency_ = into_->time_to(true);
  for (const std::size_t i : {0, 1}) service_[i] = lane(i).service(control_);
  drain_ = out_->drain(control_, control_);
  bytes_ = 0_B;
  return claimed_.back() != nullptr && control_ <= fabric_->packet_size(control_);
}

Lane& ReadPath::lane(std::size_t index) const {
  if (index == kPort) return from_->lane(false);
  return index == kTcm ? into_->lane(true) : segments_[index].link->lane;
}

bool ReadPath::are_free() const {
  for (LiveLink* const link : claimed_) {
    if (!reservations_->claims.is_free(*link)) return false;
  }
  for (const NodeId node : {dma_, memory_, tcm_}) {
    if (!fabric_->component(node).inbox().idle()) return false;
  }
  return true;
}

void ReadPath::claim(ILinkClaim& holder) {
  for (LiveLink* const link : claimed_) reservations_->claims.set_claim(*link, &holder);
  reservations_->claims.add(holder);
}

void ReadPath::release() {
  reservations_->claims.drop(*reservations_->claims.claim(*claimed_.front()));
  for (LiveLink* const link : claimed_) reservations_->claims.set_claim(*link, nullptr);
}

ReadPath::LaneState ReadPath::state() const {
  LaneState now{};
  for (std::size_t i = 0; i < now.lanes.size(); ++i) now.lanes[i] = lane(i);
  return now;
}

void ReadPath::apply(const LaneState& state) {
  for (std::size_t i = 0; i < state.lanes.size(); ++i) lane(i) = state.lanes[i];
  const auto passed = [this](Path& path, Fabric::Passed messages) {
    messages.split.overhead = messages.messages * path.overhead;
    messages.split.wire = messages.messages * path.wire;
    messages.split.queueing -= messages.split.overhead + messages.split.wire + messages.split.drain;
    fabric_->passed(path, messages);
  };
  passed(*out_, state.requests);
  passed(*back_, state.data);
}

// Computes how long the lanes take for `bytes`.
void ReadPath::set_data_size(Bytes bytes) {
  bytes_ = bytes;
  for (std::size_t i = kPort; i <= kTcm; ++i) service_[i] = lane(i).service(bytes);
  data_drain_ = back_->drain(bytes, bytes);
}

inline void ReadPath::cross(LaneState& state, std::size_t lane, Bytes bytes, ReadState& read) {
  const Segment& segment = segments_[lane];
  const Lane::Slot slot = state.lanes[lane].reserve(read.head + segment.overhead,
                                                    read.tail + segment.overhead, bytes, service_[lane]);
  read.head = slot.start + segment.wire;
  read.tail = slot.end + segment.wire;
}

// Fabric's account of messages. apply() adds the terms that don't depend on the read.
inline void ReadPath::count_request(LaneState& state, ReadState& read) {
  ++state.requests.messages;
  state.requests.bytes += control_;
  state.requests.under_way += read.head - read.left;
  state.requests.split.drain += drain_;
  state.requests.split.queueing += read.tail - read.left;
}

inline void ReadPath::count_data(LaneState& state, Bytes bytes, const ReadState& read) {
  ++state.data.messages;
  state.data.bytes += bytes;
  state.data.under_way += read.head - read.left;
  state.data.split.drain += std::max(read.left_tail - read.left, data_drain_);
  state.data.split.queueing += read.tail - read.left;
}

template <class Done>
inline bool ReadPath::advance(LaneState& state, Bytes bytes, ReadState& read, Done done) {
  if (bytes != bytes_) set_data_size(bytes);
  switch (read.stage) {
    case Stage::dma:
      if (!done(Stage::dma, read.head)) return false;
      read.left = read.left_tail = read.head;
      cross(state, 0, control_, read);
      read.stage = Stage::router_out;
      [[fallthrough]];
    case Stage::router_out:
      if (!done(Stage::router_out, read.head)) return false;
      cross(state, 1, control_, read);
      read.stage = Stage::memory;
      [[fallthrough]];
    case Stage::memory: {
      if (!done(Stage::memory, read.tail)) return false;
      count_request(state, read);
      const Time ready = read.tail + latency_;
      const Lane::Slot slot = state.lanes[kPort].reserve(ready, ready, bytes, service_[kPort]);
      read.head = read.left = slot.start;
      read.tail = read.left_tail = slot.end;
      read.stage = Stage::leaving;
      [[fallthrough]];
    }
    case Stage::leaving:
      if (!done(Stage::leaving, read.head)) return false;
      cross(state, 3, bytes, read);
      read.stage = Stage::router_back;
      [[fallthrough]];
    case Stage::router_back:
      if (!done(Stage::router_back, read.head)) return false;
      cross(state, 4, bytes, read);
      read.stage = Stage::dma_back;
      [[fallthrough]];
    case Stage::dma_back:
      if (!done(Stage::dma_back, read.head)) return false;
      cross(state, 5, bytes, read);
      read.stage = Stage::tcm;
      [[fallthrough]];
    case Stage::tcm: {
      if (!done(Stage::tcm, read.head)) return false;
      count_data(state, bytes, read);
      const Lane::Slot slot = state.lanes[kTcm].reserve(read.head + tcm_latency_, read.tail + tcm_latency_,
                                                        bytes, service_[kTcm]);
      read.head = read.tail = slot.end;
      read.stage = Stage::answered;
      [[fallthrough]];
    }
    case Stage::answered: break;
  }
  return done(Stage::answered, read.head);
}

bool ReadPath::by_lower_port(const Cut& cut, Stage stage) const {
  const std::size_t ingress = stage == Stage::router_out ? 0 : 3;
  return cut.met == segments_[ingress + 1].link && segments_[ingress].link->port < cut.port;
}

void ReadPath::pass(LaneState& state, Bytes bytes, ReadState& read, const Cut& cut) {
  (void)advance(state, bytes, read, [&](Stage stage, Time time) {
    if (time != cut.at) return time < cut.at;
    switch (stage) {
      case Stage::dma: return cut.sends;
      case Stage::router_out:
      case Stage::router_back: return cut.arrivals || by_lower_port(cut, stage);
      case Stage::answered: return cut.answers;
      default: return cut.lates;
    }
  });
}

void ReadPath::resume(const ReadRequest& read, const ReadState& where, oplog::Slices contents) {
  const TakeOver::OnItsWay at{
      .head = where.head, .tail = where.tail, .sent = where.left, .source_tail = where.left_tail};
  const auto go_on = [&](MessagePtr message, std::uint32_t hop) {
    TakeOver::OnItsWay there{at};
    there.hop = hop;
    reservations_->take_over.resume(std::move(message), there);
  };
  if (where.stage < Stage::leaving) {
    const auto hop = static_cast<std::uint32_t>(where.stage) - static_cast<std::uint32_t>(Stage::dma);
    return go_on(fabric_->make(dma_, memory_, control_, TrafficClass::request, read), hop);
  }
  const auto hop = static_cast<std::uint32_t>(where.stage) - static_cast<std::uint32_t>(Stage::leaving);
  go_on(fabric_->make(memory_, tcm_, read.bytes, TrafficClass::response,
                      ReadData{.contents = std::move(contents), .token = read.token}),
        hop);
}

}  // namespace kbsim::hw
