#include "traffic_tally.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/base/error.hpp"

#include "sort_times.hpp"

namespace kbsim::hw {
namespace {

// Latency of an uncontended packet.
Time unhindered(const IEndpoint::Delivery& delivery) {
  const Path& path = *delivery.path;
  return path.overhead + path.wire + path.drain(delivery.size, delivery.size);
}

}  // namespace

TrafficTally::TrafficTally(const topology::TrafficCase& traffic, const TrafficRequest& request,
                           const TrafficWindow& window, Time service)
    : request_{request},
      window_{window},
      services_{static_cast<double>(window.length().count()) / static_cast<double>(service.count())},
      sources_(traffic.network.graph.nodes().size()) {
  result_.service = service;
  result_.measured = window.length();
  for (const std::size_t source : traffic.pattern.active) result_.each.push_back({.source = source});
  for (SourceResult& each : result_.each) sources_[traffic.network.sources[each.source].value()] = &each;
  if (request.other == 0_B) return;
  for (const Bytes size : {request.packet, request.other}) result_.sizes.push_back({.bytes = size});
}

SizeResult& TrafficTally::of_size(Bytes size) { return result_.sizes[size == request_.packet ? 0 : 1]; }

void TrafficTally::add(const IEndpoint::Delivery& delivery) {
  add({.from = delivery.from,
       .size = delivery.size,
       .sent = delivery.sent,
       .arrived = delivery.arrived,
       .alone = unhindered(delivery),
       .links = delivery.path->route.size()});
}

void TrafficTally::add(const IOpenTraffic::Delivery& delivery, Bytes size) {
  add({.from = delivery.flow->from,
       .size = size,
       .sent = delivery.sent,
       .arrived = delivery.arrived,
       .alone = delivery.flow->alone[delivery.size],
       .links = delivery.flow->path->route.size()});
}

void TrafficTally::expect(std::size_t packets) {
  result_.latencies.reserve(packets);
  result_.waits.reserve(packets);
}

[[gnu::always_inline]] inline void TrafficTally::add(const Packet& packet) {
  SourceResult& source = *sources_[packet.from.value()];
  result_.hops += packet.links;
  const bool measured = window_.contains(is_closed() ? packet.arrived : packet.sent);
  if (measured) source.offered += 1.0;  // a closed loop offers what is accepted
  if (window_.contains(packet.arrived)) {
    source.accepted += 1.0;
    result_.bytes += packet.size;
  }
  if (!measured) return;
  const Time latency = packet.arrived - packet.sent;
  const Time wait = latency - packet.alone;
  ++source.packets;
  source.latency += latency;
  result_.latencies.push_back(latency);
  result_.waits.push_back(wait);
  if (result_.sizes.empty()) return;
  of_size(packet.size).latencies.push_back(latency);
  of_size(packet.size).waits.push_back(wait);
}

void TrafficTally::add(const IEndpoint::RoundTrip& trip) {
  if (window_.contains(trip.returned)) result_.round_trips.push_back(trip.returned - trip.sent);
}

TrafficResult TrafficTally::take() && {
  if (result_.latencies.empty())
    throw UsageError{request_.window_only
                         ? "no packet of the window had arrived at its end: expected more --packets"
                         : "no packet was sent while it was measured: expected more --packets"};
  const double slots = services_ * static_cast<double>(result_.each.size());
  for (SourceResult& source : result_.each) {
    result_.offered += source.offered;
    result_.accepted += source.accepted;
    source.offered /= services_;
    source.accepted /= services_;
  }
  result_.offered /= slots;
  result_.accepted /= slots;
  sort_times(result_.latencies);
  sort_times(result_.waits);
  if (is_closed() && request_.reply == 0_B) result_.round_trips = result_.latencies;
  sort_times(result_.round_trips);
  for (SizeResult& size : result_.sizes) {
    sort_times(size.latencies);
    sort_times(size.waits);
  }
  return std::move(result_);
}

double fairness(const std::vector<SourceResult>& each) {
  double sum = 0.0;
  double squares = 0.0;
  for (const SourceResult& source : each) {
    sum += source.accepted;
    squares += source.accepted * source.accepted;
  }
  return squares == 0.0 ? 1.0 : sum * sum / (static_cast<double>(each.size()) * squares);
}

}  // namespace kbsim::hw
