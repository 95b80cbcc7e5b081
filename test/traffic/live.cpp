#include "live.hpp"

#include <optional>
#include <set>
#include <utility>

#include <doctest/doctest.h>

using namespace kbsim;

Live::Live(const Case& traffic) : traffic_{traffic}, machine_{sim_, traffic.network.graph, log_} {
  machine_.fabric().trace_messages();
}

void Live::send(std::size_t from, std::size_t to, int packets, Time at, Time gap) {
  machine_.at<hw::IEndpoint>(traffic_.network.sources[from])
      .send([this, to, packets, at, gap]() mutable -> std::optional<hw::IEndpoint::Departure> {
        if (packets-- == 0) return std::nullopt;
        return hw::IEndpoint::Departure{
            .at = std::exchange(at, at + gap), .to = traffic_.network.sinks[to], .size = kPacket};
      });
}

const std::vector<hw::IEndpoint::Delivery>& Live::deliveries(std::size_t to) {
  return machine_.at<hw::IEndpoint>(traffic_.network.sinks[to]).deliveries();
}

const hw::LiveLink& Live::link(const std::string& name) const {
  const auto& links = machine_.fabric().links();
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    if (traffic_.network.graph.link_name(LinkId{i}) == name) return links[i];
  }
  throw InternalError{"no link " + name};
}

void check_ties(const Case& traffic) {
  hw::TrafficRequest request{.rate = 0.9 * traffic.bound, .packets = 10'000, .warmup = 1'000};
  const hw::TrafficResult first = traffic.run(request);
  std::set<std::uint64_t> events;  // of shuffled runs, which skip no event
  for (const std::uint64_t ties : {1, 2, 3}) {
    request.simulation.shuffle_ties = ties;
    const hw::TrafficResult shuffled = traffic.run(request);
    CHECK(shuffled.latencies == first.latencies);
    CHECK(shuffled.digest.value() == first.digest.value());
    events.insert(shuffled.events);
  }
  CHECK(events.size() == 1);
  CHECK(*events.begin() >= first.events);
}
