#include "read_path.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/hw/fabric/component.hpp"

#include "../neighbours.hpp"
#include "../trains/reservations.hpp"

namespace kbsim::hw {

bool ReadLanes::find(Fabric& fabric, NodeId dma, NodeId memory, NodeId tcm) {
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
  back_ = &fabric.path(memory, tcm);
  fabric.take(*out_);
  fabric.take(*back_);
  return found_ = finds_links();
}

ReadLanes::Way ReadLanes::way(LinkId id) const {
  LiveLink& link = fabric_->live(id);
  return {.link = &link, .overhead = fabric_->component(link.from).overhead(), .wire = link.wire};
}

// DMA, crossbar, slice, and back. Any other packet to a memory or to the DMA passes one of these links, or
// the one from the router, first.
bool ReadLanes::finds_links() {
  const topology::Graph& graph = fabric_->graph();
  if (out_->route.size() != 2 || back_->route.size() != 3) return false;
  ways_ = {way(out_->route[0]),  way(out_->route[1]),  {}, way(back_->route[0]),
           way(back_->route[1]), way(back_->route[2]), {}};
  const NodeId middle = ways_[1].link->from;
  const bool turns_there =
      ways_[4].link->from == middle && ways_[5].link->from == dma_ && ways_[5].link->to == tcm_;
  if (!turns_there || fabric_->arrivals(middle) == nullptr || !all_take_time_to(*fabric_, middle))
    return false;
  if (!fabric_->takes_time(*ways_[0].link) || !fabric_->takes_time(*ways_[3].link)) return false;
  if (fabric_->takes_time(*ways_[5].link) || graph.out(memory_).size() != 1) return false;
  held_ = {ways_[0].link, ways_[1].link, ways_[3].link, ways_[4].link, ways_[5].link, nullptr};
  if (links_to(*fabric_, memory_).size() != 1 || links_to(*fabric_, tcm_).size() != 1) return false;
  for (LiveLink* const link : links_to(*fabric_, dma_)) {
    const bool inside = link->from == tcm_ || graph.node(link->from).kind == topology::NodeKind::pe_ipcq;
    if (inside || link == ways_[4].link) continue;
    if (held_.back() != nullptr || fabric_->arrivals(link->from) == nullptr) return false;
    held_.back() = link;
  }
  control_ = graph.spec().system.control_bytes;
  latency_ = from_->time_to(false);
  tcm_latency_ = into_->time_to(true);
  for (const std::size_t i : {0, 1}) service_[i] = lane(i).rate().serialization(control_);
  drain_ = serialization(control_, out_->slowest);
  bytes_ = 0_B;
  return held_.back() != nullptr && control_ <= fabric_->packet_size(control_);
}

Lane& ReadLanes::lane(std::size_t index) const {
  if (index == kPort) return from_->lane(false);
  return index == kTcm ? into_->lane(true) : ways_[index].link->lane;
}

bool ReadLanes::are_free() const {
  for (LiveLink* const link : held_) {
    if (!reservations_->is_free(*link)) return false;
  }
  for (const NodeId node : {dma_, memory_, tcm_}) {
    if (!fabric_->component(node).inbox().idle()) return false;
  }
  return true;
}

void ReadLanes::hold(ILinkClaim& holder) {
  for (LiveLink* const link : held_) reservations_->set_claim(*link, &holder);
  reservations_->claims().add(holder);
}

void ReadLanes::let_go() {
  reservations_->claims().drop(*reservations_->claim(*held_.front()));
  for (LiveLink* const link : held_) reservations_->set_claim(*link, nullptr);
}

ReadLanes::State ReadLanes::state() const {
  State now{};
  for (std::size_t i = 0; i < now.lanes.size(); ++i) now.lanes[i] = lane(i);
  return now;
}

void ReadLanes::become(const State& state) {
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
void ReadLanes::know(Bytes bytes) {
  bytes_ = bytes;
  for (std::size_t i = kPort; i <= kTcm; ++i) service_[i] = lane(i).rate().serialization(bytes);
  data_drain_ = serialization(bytes, back_->slowest);
}

inline void ReadLanes::cross(State& state, std::size_t lane, Bytes bytes, Moving& read) {
  const Way& way = ways_[lane];
  const Lane::Slot slot =
      state.lanes[lane].reserve(read.head + way.overhead, read.tail + way.overhead, bytes, service_[lane]);
  read.head = slot.start + way.wire;
  read.tail = slot.end + way.wire;
}

// As Fabric keeps account of messages; terms that don't depend on the read are added at the end.
inline void ReadLanes::request_comes(State& state, Moving& read) {
  ++state.requests.messages;
  state.requests.bytes += control_;
  state.requests.under_way += read.head - read.left;
  state.requests.split.drain += drain_;
  state.requests.split.queueing += read.tail - read.left;
}

inline void ReadLanes::data_come(State& state, Bytes bytes, const Moving& read) {
  ++state.data.messages;
  state.data.bytes += bytes;
  state.data.under_way += read.head - read.left;
  state.data.split.drain += std::max(read.left_tail - read.left, data_drain_);
  state.data.split.queueing += read.tail - read.left;
}

template <class Done>
inline bool ReadLanes::advance(State& state, Bytes bytes, Moving& read, Done done) {
  if (bytes != bytes_) know(bytes);
  switch (read.place) {
    case Place::dma:
      if (!done(Place::dma, read.head)) return false;
      read.left = read.left_tail = read.head;
      cross(state, 0, control_, read);
      read.place = Place::way_out;
      [[fallthrough]];
    case Place::way_out:
      if (!done(Place::way_out, read.head)) return false;
      cross(state, 1, control_, read);
      read.place = Place::memory;
      [[fallthrough]];
    case Place::memory: {
      if (!done(Place::memory, read.tail)) return false;
      request_comes(state, read);
      const Time ready = read.tail + latency_;
      const Lane::Slot slot = state.lanes[kPort].reserve(ready, ready, bytes, service_[kPort]);
      read.head = read.left = slot.start;
      read.tail = read.left_tail = slot.end;
      read.place = Place::leaving;
      [[fallthrough]];
    }
    case Place::leaving:
      if (!done(Place::leaving, read.head)) return false;
      cross(state, 3, bytes, read);
      read.place = Place::way_back;
      [[fallthrough]];
    case Place::way_back:
      if (!done(Place::way_back, read.head)) return false;
      cross(state, 4, bytes, read);
      read.place = Place::behind;
      [[fallthrough]];
    case Place::behind:
      if (!done(Place::behind, read.head)) return false;
      cross(state, 5, bytes, read);
      read.place = Place::tcm;
      [[fallthrough]];
    case Place::tcm: {
      if (!done(Place::tcm, read.head)) return false;
      data_come(state, bytes, read);
      const Lane::Slot slot = state.lanes[kTcm].reserve(read.head + tcm_latency_, read.tail + tcm_latency_,
                                                        bytes, service_[kTcm]);
      read.head = read.tail = slot.end;
      read.place = Place::answered;
      [[fallthrough]];
    }
    case Place::answered: break;
  }
  return done(Place::answered, read.head);
}

bool ReadLanes::by_lower_port(const Reached& reached, Place place) const {
  const std::size_t came = place == Place::way_out ? 0 : 3;
  return reached.met == ways_[came + 1].link && ways_[came].link->port < reached.port;
}

void ReadLanes::pass(State& state, Bytes bytes, Moving& read, const Reached& reached) {
  (void)advance(state, bytes, read, [&](Place place, Time time) {
    if (time != reached.at) return time < reached.at;
    switch (place) {
      case Place::dma: return reached.sends;
      case Place::way_out:
      case Place::way_back: return reached.arrivals || by_lower_port(reached, place);
      case Place::answered: return reached.answers;
      default: return reached.lates;
    }
  });
}

void ReadLanes::resume(const ReadRequest& read, const Moving& where, oplog::Slices contents) {
  const Reservations::OnItsWay at{
      .head = where.head, .tail = where.tail, .sent = where.left, .source_tail = where.left_tail};
  const auto go_on = [&](MessagePtr message, std::uint32_t hop) {
    Reservations::OnItsWay there{at};
    there.hop = hop;
    reservations_->resume(std::move(message), there);
  };
  if (where.place < Place::leaving) {
    const auto hop = static_cast<std::uint32_t>(where.place) - static_cast<std::uint32_t>(Place::dma);
    return go_on(fabric_->make(dma_, memory_, control_, TrafficClass::request, read), hop);
  }
  const auto hop = static_cast<std::uint32_t>(where.place) - static_cast<std::uint32_t>(Place::leaving);
  go_on(fabric_->make(memory_, tcm_, read.bytes, TrafficClass::response,
                      ReadData{.contents = std::move(contents), .token = read.token}),
        hop);
}

}  // namespace kbsim::hw
