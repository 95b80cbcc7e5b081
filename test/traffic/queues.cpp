// Behaviour of each queue of a network, from the traces of all packets.
#include <cstdint>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/traffic/i_endpoint.hpp"

#include "support.hpp"

namespace kbsim::test::queues_test {
namespace {

constexpr Bytes kPacket = 256_B;
constexpr Time kService = 1_ns;  // of it, at 256 GB/s

/// A live network whose packets are traced, with Poisson sources.
struct Traced {
  explicit Traced(const Case& which) : traffic{which} { machine.fabric().trace_messages(); }

  void load(double rate, Time end) {
    for (const std::size_t source : traffic.pattern.active) {
      machine.at<hw::IEndpoint>(traffic.network.sources[source])
          .send([this, source, rate, end, now = 0.0,
                 random = Random{3, source}]() mutable -> std::optional<hw::IEndpoint::Departure> {
            now += random.exponential() / rate * static_cast<double>(kService.count());
            const Time at{static_cast<std::int64_t>(now)};
            if (at >= end) return std::nullopt;
            const std::size_t sink = traffic.pattern.draw(source, traffic.network.sinks.size(), random);
            return hw::IEndpoint::Departure{.at = at, .to = traffic.network.sinks[sink], .size = kPacket};
          });
    }
  }
  [[nodiscard]] const std::vector<hw::LiveLink>& links() const { return machine.fabric().links(); }

  const Case& traffic;
  Simulation sim;
  oplog::OpLog log;
  hw::Machine machine{sim, traffic.network.graph, log};
};

/// Sums up how many packets wait at or use each link, again and again, until the end.
Task<> sample(Traced* traced, Time step, Time end, std::vector<std::int64_t>* sums) {
  while (traced->sim.now() < end) {
    for (std::size_t i = 0; i < sums->size(); ++i) {
      const Time left = traced->links()[i].lane.free() - traced->sim.now();
      if (left > Time{0}) (*sums)[i] += ceil_div(left.count(), kService.count());
    }
    co_await traced->sim.delay(step);
  }
}

}  // namespace

TEST_CASE("Queue: Little's law holds on every link: how many are there is their rate times their stay") {
  const Case mesh{"mesh:3x3", "uniform", {.router_overhead_ns = 0.0}};
  const Time end = 40'000 * kService;
  const Time step{377};
  Traced traced{mesh};
  traced.load(0.7 * mesh.bound, end);
  std::vector<std::int64_t> sums(traced.links().size());
  (void)traced.sim.spawn("samples", sample(&traced, step, end, &sums));
  traced.sim.run();

  std::vector<Time> stays(sums.size());
  for (const hw::MessageTrace& trace : traced.machine.fabric().traces()) {
    for (const hw::Hop& hop : trace.hops) stays[hop.link.value()] += hop.end - hop.arrive;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    CAPTURE(mesh.network.graph.link_name(LinkId{static_cast<std::uint32_t>(i)}));
    const double sampled = static_cast<double>(sums[i]) * static_cast<double>(step / 1_ps);
    CHECK(sampled == doctest::Approx(static_cast<double>(stays[i].count())).epsilon(0.02));
  }
}

TEST_CASE("Queue: of equal links in a row, packets wait only at the first") {
  Case row{"mesh:5x1", "neighbour"};
  row.pattern.favourite[0] = 4;
  row.pattern.active = {0};
  Traced traced{row};
  traced.load(0.8, 20'000 * kService);
  traced.sim.run();
  Time waited{};
  for (const hw::MessageTrace& trace : traced.machine.fabric().traces()) {
    REQUIRE(trace.hops.size() == 6);
    waited += trace.split.queueing;
    for (std::size_t i = 1; i < trace.hops.size(); ++i)
      CHECK(trace.hops[i].start == trace.hops[i].arrive + 1_ns);  // the router's delay, no more
  }
  const auto packets = static_cast<std::int64_t>(traced.machine.fabric().traces().size());
  CHECK(to_ns(waited / packets) == doctest::Approx(2.0).epsilon(0.1));  // M/D/1 at 0.8
}

TEST_CASE("Queue: n packets at once wait (n-1)/2 services on average, and the longest queue is all of them") {
  const Case link{"link", "uniform"};
  for (const int n : {1, 2, 10, 1000}) {
    CAPTURE(n);
    Traced traced{link};
    traced.machine.at<hw::IEndpoint>(link.network.sources[0])
        .send([&link, left = n]() mutable -> std::optional<hw::IEndpoint::Departure> {
          if (left-- == 0) return std::nullopt;
          return hw::IEndpoint::Departure{.at = 5_ns, .to = link.network.sinks[0], .size = kPacket};
        });
    traced.sim.run();
    const hw::UnitUse use = use_of(traced.links()[0].lane);
    CHECK(use.served == n);
    CHECK(use.busy == n * kService);
    CHECK(use.waited == n * (n - 1) / 2 * kService);
    CHECK(use.longest == n * kService);
  }
}

}  // namespace kbsim::test::queues_test
