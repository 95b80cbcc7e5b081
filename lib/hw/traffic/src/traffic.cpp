// Synthetic traffic: a stream of packets at every source, and a window in which they are measured.
#include "kbsim/hw/traffic/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/base/self_profile.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/traffic/i_endpoint.hpp"
#include "kbsim/hw/traffic/i_open_traffic.hpp"
#include "kbsim/sim/deadlock.hpp"

#include "arrival_times.hpp"
#include "traffic_tally.hpp"
#include "traffic_window.hpp"

namespace kbsim::hw {
namespace {

const WorkKind kSteps{"traffic in time steps"};

// kForever beyond the range of simulated time.
Time services(double n, Time service) {
  constexpr double kTooLong = 9e18;
  const double time = n * static_cast<double>(service.count());
  return time < kTooLong ? Time{std::llround(time)} : kForever;
}

// Service time of an average packet.
Time service_of(const TrafficRequest& request, Bandwidth bandwidth) {
  const Time first = serialization(request.packet, bandwidth);
  if (request.other == 0_B) return first;
  const auto ps = [&](Bytes size) { return static_cast<double>(serialization(size, bandwidth).count()); };
  return Time{std::llround(request.mix * ps(request.packet) + (1.0 - request.mix) * ps(request.other))};
}

// An event may be a stride, with many packets' hops: signals and memory are checked more often.
SimulationOptions with_looks(SimulationOptions options) {
  constexpr std::uint64_t kStepsALook = 64;
  options.look_every = std::min(options.look_every, kStepsALook);
  return options;
}

// A closed loop determines its window during the run.
TrafficWindow window_of(const topology::TrafficCase& traffic, const TrafficRequest& request, Time service) {
  if (request.outstanding > 0) return {};
  const double rate = request.arrivals == Arrivals::saturated ? 1.0 : request.rate;
  const double packets_a_service = rate * static_cast<double>(traffic.pattern.active.size());
  const double warmup = static_cast<double>(request.warmup) / packets_a_service;
  const double measured = static_cast<double>(request.packets) / packets_a_service;
  const double after = request.window_only ? 0.0 : warmup;
  const TrafficWindow window{.begin = services(warmup, service),
                             .end = services(warmup + measured, service),
                             .last = services(warmup + measured + after, service)};
  if (window.last == kForever) throw UsageError{"so few packets a time last longer than simulated time"};
  return window;
}

SimulationOptions until_end(SimulationOptions options, const TrafficRequest& request,
                            const TrafficWindow& window) {
  if (request.window_only) options.stop_at = std::min(options.stop_at, window.end);
  return options;
}

class TrafficRun {
 public:
  TrafficRun(const topology::TrafficCase& traffic, const TrafficRequest& request)
      : traffic_{traffic},
        request_{request},
        service_{service_of(request, traffic.network.service)},
        window_{window_of(traffic, request, service_)},
        sim_{until_end(with_looks(request.simulation), request, window_)},
        machine_{sim_, traffic.network.graph, log_} {
    machine_.fabric().exact_packets();  // reservations ahead don't last where packets often meet
    served_.resize(traffic.network.graph.links().size());
    waited_.resize(traffic.network.graph.links().size());
    sent_.resize(traffic.network.sources.size());
  }

  TrafficResult run() {
    if (is_closed())
      start_loops();
    else
      start_streams();
    try {
      sim_.run();
    } catch (const Interrupted& interrupted) {
      throw TrafficInterrupted{interrupted.what(), so_far()};
    } catch (const LimitError&) {
      if (!request_.window_only || measuring_ || sim_.now() < window_.end) throw;
    }
    if (!request_.window_only) machine_.fabric().audit();
    return result();
  }

 private:
  [[nodiscard]] bool is_closed() const { return request_.outstanding > 0; }
  [[nodiscard]] IEndpoint& endpoint(std::size_t source) {
    return machine_.at<IEndpoint>(traffic_.network.sources[source]);
  }

  void start_streams() {
    steps_ = in_steps();
    if (steps_ == nullptr) {
      for (const std::size_t source : traffic_.pattern.active) endpoint(source).send(stream(source));
      (void)sim_.spawn("measurement", measure());
      return;
    }
    for (const std::size_t source : traffic_.pattern.active) steps_->add(source, stream(source));
    const WorkScope scope{kSteps};
    (void)sim_.spawn("traffic in time steps", step());
  }
  // nullptr: by events. Only events can be shuffled at ties.
  [[nodiscard]] std::unique_ptr<IOpenTraffic> in_steps() {
    if (request_.by_events || request_.simulation.shuffle_ties || open_traffic_maker() == nullptr) return {};
    return open_traffic_maker()(machine_, traffic_.network, {request_.packet, request_.other}, service_);
  }
  Task<> step() {
    co_await step_to(window_.begin);
    note_served_now(-1);
    co_await step_to(window_.end);
    note_served_now(+1);
    if (request_.window_only) co_return;
    co_await step_to(kForever);
    steps_->show_links();
    co_await sim_.until(steps_->last_arrival());
  }
  Task<> step_to(Time end) {
    while (steps_->next() < end) {
      co_await sim_.until(steps_->next());
      steps_->pass(end);
    }
    if (end != kForever) co_await sim_.until(end);
  }
  Task<> measure() {
    co_await note_served(window_.begin, -1);
    co_await note_served(window_.end, +1);
  }

  // The window begins and ends with returned packets, at times unknown beforehand.
  void start_loops() {
    if (request_.warmup == 0) note_served_now(-1);
    for (const std::size_t source : traffic_.pattern.active)
      endpoint(source).circulate(loop(source), request_.outstanding, request_.reply);
  }

  [[nodiscard]] IEndpoint::Departure departure(std::size_t source, Time at, Random& random) const {
    const bool second = request_.other != 0_B && random.uniform() >= request_.mix;
    const std::size_t sink = traffic_.pattern.draw(source, traffic_.network.sinks.size(), random);
    return {.at = at, .to = traffic_.network.sinks[sink], .size = second ? request_.other : request_.packet};
  }

  [[nodiscard]] double flits_of(Bytes packet) const {
    return static_cast<double>(ceil_div(packet.count(), machine_.fabric().packet_size(packet).count()));
  }
  // Flits of an average packet.
  [[nodiscard]] double flits() const {
    if (request_.other == 0_B) return flits_of(request_.packet);
    return request_.mix * flits_of(request_.packet) + (1.0 - request_.mix) * flits_of(request_.other);
  }

  IEndpoint::Stream stream(std::size_t source) {
    const double rate = request_.rate * traffic_.pattern.weight(source);
    return [this, source, times = ArrivalTimes{request_.arrivals, rate, flits()},
            random = Random{request_.seed, source}]() mutable -> std::optional<IEndpoint::Departure> {
      const Time at = services(times.next(random), service_);
      if (at >= window_.last) return std::nullopt;
      if (window_.contains(at)) ++sent_[source];
      const IEndpoint::Departure next = departure(source, at, random);
      const Time busy = serialization(next.size, traffic_.network.source_bandwidth());
      times.sent(static_cast<double>(busy.count()) / static_cast<double>(service_.count()));
      return next;
    };
  }

  IEndpoint::Stream loop(std::size_t source) {
    return [this, source, first = request_.outstanding,
            random = Random{request_.seed, source}]() mutable -> std::optional<IEndpoint::Departure> {
      if (first > 0)
        --first;
      else
        note_return();
      if (sim_.now() >= window_.end) return std::nullopt;
      return departure(source, sim_.now(), random);
    };
  }

  // Packets returned at one time count alike: an edge of the window is after that time.
  void note_return() {
    ++returned_;
    const Time edge = sim_.now() + 1_ps;
    if (returned_ == request_.warmup) {
      window_.begin = edge;
      (void)sim_.spawn("measurement begins", note_served(edge, -1));
    } else if (returned_ == request_.warmup + request_.packets) {
      window_.end = edge;
      (void)sim_.spawn("measurement ends", note_served(edge, +1));
    }
  }

  // Time served by each link until its own edge of the window. A packet reserves the link when its head is at
  // the node, and is served after the node's pipeline: there, the link's window is later by that. After a
  // switch, packets reserve when they leave.
  [[nodiscard]] Time served(const LiveLink& link) {
    const bool asked_ahead = link.from_switch() == nullptr;
    const Time pipeline = asked_ahead ? machine_.fabric().component(link.from).steady_overhead() : Time{0};
    return link.lane.busy_until(now() + pipeline);
  }
  Task<> note_served(Time at, int sign) {
    co_await sim_.until(at);
    note_served_now(sign);
  }
  void note_served_now(int sign) {
    if (steps_) steps_->show_links();
    const std::vector<LiveLink>& links = machine_.fabric().links();
    for (std::size_t i = 0; i < links.size(); ++i) {
      served_[i] += sign * served(links[i]);
      waited_[i] += sign * links[i].lane.waited();
    }
    measuring_ = sign < 0;
  }

  // All events before this time are done.
  [[nodiscard]] Time now() const { return steps_ ? std::max(sim_.now(), steps_->passed()) : sim_.now(); }

  // The window ends at the interruption; packets under way aren't measured.
  std::shared_ptr<const TrafficResult> so_far() {
    const bool had_ended = !measuring_ && window_.end <= now();
    if (!measuring_ && !had_ended) return nullptr;
    if (measuring_) {
      window_.end = now();
      note_served_now(+1);
    }
    TrafficTally measured = tally();
    return measured.empty() ? nullptr : std::make_shared<TrafficResult>(result_of(std::move(measured)));
  }

  TrafficTally tally() {
    TrafficTally tally{traffic_, request_, window_, service_};
    if (steps_) add_steps(tally);
    for (const NodeId sink : traffic_.network.sinks) {
      for (const IEndpoint::Delivery& delivery : machine_.at<IEndpoint>(sink).deliveries())
        tally.add(delivery);
    }
    for (const NodeId source : traffic_.network.sources) {
      for (const IEndpoint::RoundTrip& trip : machine_.at<IEndpoint>(source).round_trips()) tally.add(trip);
    }
    return tally;
  }
  void add_steps(TrafficTally& tally) const {
    const Time by = now();
    tally.expect(steps_->deliveries().size());
    for (const IOpenTraffic::Delivery& delivery : steps_->deliveries()) {
      if (delivery.arrived <= by) tally.add(delivery, delivery.size == 0 ? request_.packet : request_.other);
    }
  }
  TrafficResult result() {
    TrafficResult result = result_of(tally());
    if (request_.window_only) add_under_way(result);
    return result;
  }
  // The offered rate counts sent packets, whether they have arrived or not.
  void add_under_way(TrafficResult& result) const {
    const double services =
        static_cast<double>(window_.length().count()) / static_cast<double>(service_.count());
    std::int64_t all = 0;
    std::int64_t arrived = 0;
    for (SourceResult& each : result.each) {
      each.offered = static_cast<double>(sent_[each.source]) / services;
      all += sent_[each.source];
      arrived += each.packets;
    }
    result.offered = static_cast<double>(all) / services / static_cast<double>(result.each.size());
    result.under_way = all - arrived;
  }
  TrafficResult result_of(TrafficTally&& tally) {
    TrafficResult result = std::move(tally).take();
    result.events = sim_.events();
    result.simulated = sim_.now();
    result.digest = machine_.digest();
    add_links(result);
    return result;
  }

  void add_links(TrafficResult& result) const {
    for (std::size_t i = 0; i < served_.size(); ++i) {
      result.utilization.push_back(window_.share(served_[i]));
      result.demand.push_back(window_.share(served_[i] + waited_[i]));
    }
    for (const LiveLink& link : machine_.fabric().links()) {
      result.use.push_back(use_of(link.lane));
      result.blocked.push_back(link.blocked());
    }
  }

  const topology::TrafficCase& traffic_;
  const TrafficRequest& request_;
  Time service_;
  TrafficWindow window_;
  Simulation sim_;
  oplog::OpLog log_;
  Machine machine_;
  std::unique_ptr<IOpenTraffic> steps_;  // null: by events
  std::int64_t returned_ = 0;
  bool measuring_ = false;
  std::vector<Time> served_;        // by link, within the window
  std::vector<Time> waited_;        // likewise
  std::vector<std::int64_t> sent_;  // packets of each source, within the window
};

}  // namespace

TrafficResult run_traffic(const topology::TrafficCase& traffic, const TrafficRequest& request) {
  check_request(request);
  return TrafficRun{traffic, request}.run();
}

}  // namespace kbsim::hw
