// Synthetic traffic: a stream of packets at every source, a window of time in which they are measured.
#include "kbsim/hw/traffic/traffic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/traffic/i_endpoint.hpp"

namespace kbsim::hw {
namespace {

constexpr std::array<std::string_view, 3> kArrivals{"poisson", "bernoulli", "saturated"};

// The times at which a source sends, in service times.
class ArrivalTimes {
 public:
  ArrivalTimes(Arrivals arrivals, double rate) : arrivals_{arrivals}, rate_{rate} {}

  double next(Random& random) {
    switch (arrivals_) {
      case Arrivals::poisson: return now_ += random.exponential() / rate_;
      case Arrivals::bernoulli: return now_ += static_cast<double>(random.geometric(rate_));
      case Arrivals::saturated: return std::exchange(now_, now_ + 1.0);
    }
    return now_;
  }

 private:
  Arrivals arrivals_;
  double rate_;
  double now_ = 0.0;
};

struct Window {
  Time begin{};
  Time end{};
  Time last{};  // nobody sends from here on

  [[nodiscard]] bool contains(Time t) const { return begin <= t && t < end; }
};

// Beyond simulated time: kForever.
Time services(double n, Time service) {
  constexpr double kTooLong = 9e18;
  const double time = n * static_cast<double>(service.count());
  return time < kTooLong ? Time{std::llround(time)} : kForever;
}

void check_count(const char* what, std::int64_t count, std::int64_t least) {
  constexpr std::int64_t kMost = 50'000'000;  // a packet's times are kept until the end
  if (count < least || count > kMost)
    throw UsageError{fmt::format("{} {}: expected from {} to {}", count, what, least, kMost)};
}

void check(const TrafficRequest& request) {
  constexpr Bytes kLargest = 1_GiB;
  if (request.packet < 1_B || request.packet > kLargest)
    throw UsageError{
        fmt::format("packets of {} bytes: expected from 1 to {}", request.packet.count(), kLargest.count())};
  check_count("packets", request.packets, 1);
  check_count("packets of warm-up", request.warmup, 0);
  if (request.arrivals != Arrivals::saturated && !(request.rate > 0.0 && request.rate <= 1.0)) {
    throw UsageError{fmt::format(
        "a rate of {} packets a service time and source: expected more than 0 and at most 1", request.rate)};
  }
}

class TrafficRun {
 public:
  TrafficRun(const topology::TrafficNetwork& network, const topology::TrafficPattern& pattern,
             const TrafficRequest& request)
      : network_{network},
        pattern_{pattern},
        request_{request},
        service_{serialization(request.packet, network.source_bandwidth())},
        sim_{request.simulation},
        machine_{sim_, network.graph, log_} {
    const double rate = request.arrivals == Arrivals::saturated ? 1.0 : request.rate;
    const double packets_a_service = rate * static_cast<double>(pattern.active.size());
    const double warmup = static_cast<double>(request.warmup) / packets_a_service;
    const double measured = static_cast<double>(request.packets) / packets_a_service;
    window_ = {.begin = services(warmup, service_),
               .end = services(warmup + measured, service_),
               .last = services(warmup + measured + warmup, service_)};
    if (window_.last == kForever) throw UsageError{"so few packets a time last longer than simulated time"};
    served_.resize(network.graph.links().size());
    waited_.resize(network.graph.links().size());
  }

  TrafficResult run() {
    for (const std::size_t source : pattern_.active)
      machine_.at<IEndpoint>(network_.sources[source]).send(stream(source));
    (void)sim_.spawn("measurement", measure());
    sim_.run();
    machine_.fabric().audit();
    return result();
  }

 private:
  IEndpoint::Stream stream(std::size_t source) {
    return [this, source, times = ArrivalTimes{request_.arrivals, request_.rate},
            random = Random{request_.seed, source}]() mutable -> std::optional<IEndpoint::Departure> {
      const Time at = services(times.next(random), service_);
      if (at >= window_.last) return std::nullopt;
      const std::size_t sink = pattern_.draw(source, network_.sinks.size(), random);
      return IEndpoint::Departure{.at = at, .to = network_.sinks[sink], .size = request_.packet};
    };
  }

  // What each link has served: all it was asked for, but for what is still queued.
  [[nodiscard]] Time served(const LiveLink& link) const {
    return link.lane.busy() - std::max(Time{0}, link.lane.free() - sim_.now());
  }
  void note_served(int sign) {
    const std::vector<LiveLink>& links = machine_.fabric().links();
    for (std::size_t i = 0; i < links.size(); ++i) {
      served_[i] += sign * served(links[i]);
      waited_[i] += sign * links[i].lane.waited();
    }
  }
  Task<> measure() {
    co_await sim_.until(window_.begin);
    note_served(-1);
    co_await sim_.until(window_.end);
    note_served(+1);
  }

  // What a packet takes where nobody else is.
  [[nodiscard]] Time unhindered(const Path& path) const {
    return path.overhead + path.wire + serialization(request_.packet, path.slowest);
  }

  void add(const IEndpoint::Delivery& delivery, TrafficResult& result) const {
    result.hops += delivery.path->route.size();
    if (window_.contains(delivery.arrived)) result.accepted += 1.0;
    if (!window_.contains(delivery.sent)) return;
    const Time latency = delivery.arrived - delivery.sent;
    result.latencies.push_back(latency);
    result.waits.push_back(latency - unhindered(*delivery.path));
  }

  TrafficResult result() {
    TrafficResult result{
        .service = service_, .events = sim_.events(), .simulated = sim_.now(), .digest = machine_.digest()};
    for (const NodeId sink : network_.sinks) {
      for (const IEndpoint::Delivery& delivery : machine_.at<IEndpoint>(sink).deliveries())
        add(delivery, result);
    }
    if (result.latencies.empty()) {
      throw UsageError{"no packet was sent while it was measured: expected more --packets"};
    }
    const Time window = window_.end - window_.begin;
    const double slots = static_cast<double>(window.count()) / static_cast<double>(service_.count()) *
                         static_cast<double>(pattern_.active.size());
    result.offered = static_cast<double>(result.latencies.size()) / slots;
    result.accepted /= slots;
    const auto share = [window](Time t) {
      return static_cast<double>(t.count()) / static_cast<double>(window.count());
    };
    for (std::size_t i = 0; i < served_.size(); ++i) {
      result.utilization.push_back(share(served_[i]));
      result.demand.push_back(share(served_[i] + waited_[i]));
    }
    for (const LiveLink& link : machine_.fabric().links()) {
      result.use.push_back(use_of(link.lane));
      result.blocked.push_back(link.blocked);
    }
    std::ranges::sort(result.latencies);
    std::ranges::sort(result.waits);
    return result;
  }

  const topology::TrafficNetwork& network_;
  const topology::TrafficPattern& pattern_;
  const TrafficRequest& request_;
  Time service_;
  Simulation sim_;
  oplog::OpLog log_;
  Machine machine_;
  Window window_;
  std::vector<Time> served_;  // by link, while it is measured
  std::vector<Time> waited_;  // likewise
};

}  // namespace

Arrivals arrivals_named(std::string_view name) {
  const auto* const found = std::ranges::find(kArrivals, name);
  if (found != kArrivals.end()) return static_cast<Arrivals>(found - kArrivals.begin());
  throw UsageError{fmt::format("--arrivals {}: no such process{}", name,
                               name_hint(name, {kArrivals.begin(), kArrivals.end()}))};
}

TrafficResult run_traffic(const topology::TrafficCase& traffic, const TrafficRequest& request) {
  check(request);
  return TrafficRun{traffic.network, traffic.pattern, request}.run();
}

}  // namespace kbsim::hw
