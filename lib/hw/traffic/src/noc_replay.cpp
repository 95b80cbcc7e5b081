// Recorded traffic: one coroutine per processor, NIUs that answer, transfers that take channels and share
// links.
#include "kbsim/hw/traffic/noc_replay.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "kbsim/sim/semaphore.hpp"
#include "kbsim/sim/simulation.hpp"

#include "fair_shares.hpp"

namespace kbsim::hw {
namespace {

using topology::NocEvent;
using topology::NocNetwork;
using topology::NocOp;

// Transfers of one kind that a processor has issued since the previous barrier.
struct Group {
  explicit Group(Simulation& sim) : none_under_way{sim} {}
  std::int64_t first_cycle = 0;
  Time first{};  // simulated
  Time last{};   // end of the latest transfer so far
  std::int64_t transfers = 0;
  std::int64_t under_way = 0;
  bool closed = false;  // by a barrier: no more transfers follow
  bool reads = false;
  Event none_under_way;
};
using GroupPtr = std::shared_ptr<Group>;
using Groups = std::vector<GroupPtr>;

// A barrier that has begun.
struct Barrier {
  std::size_t stream = 0;
  int node = 0;
  std::int64_t cycle = 0;  // its recorded end
  Time begun{};
  Groups groups;
};

struct Transfer {
  std::uint64_t key = 0;
  NocEvent event;
  int sender = 0;
  int receiver = 0;
  GroupPtr group;
};

struct Niu {
  std::map<int, std::deque<Event*>> waiting;  // by input
  int served = -1;                            // the input served last
  int busy = 0;
};

class Replay {
 public:
  Replay(const NocNetwork& network, NocLoop loop, const NocBarrierSink& ended)
      : network_{network},
        loop_{loop},
        sink_{ended},
        cycle_{1.0 / network.spec().clock_ghz},
        sim_{SimulationOptions{}},
        shares_{sim_, network.rates()},
        nius_(static_cast<std::size_t>(network.layers() * network.nodes())) {
    const auto places = static_cast<std::size_t>(network.spec().channels);
    for (std::uint32_t i = 0; i < network.channel_classes(); ++i)
      channels_.emplace_back(sim_, "a channel", places);
  }

  NocResult run(const std::vector<NocStream>& streams) {
    for (std::size_t i = 0; i < streams.size(); ++i) (void)sim_.spawn("a processor", play(i, &streams[i]));
    sim_.run();
    report();
    result_.cycles = to_ns(ended_) / cycle_;
    result_.events = sim_.events();
    return result_;
  }

 private:
  [[nodiscard]] Time at(std::int64_t cycle) const { return from_ns(static_cast<double>(cycle) * cycle_); }
  [[nodiscard]] const config::NocToriSpec& spec() const { return network_.spec(); }
  [[nodiscard]] Time hops(int layer, int from, int to) const {
    return times(network_.hops(layer, from, to), spec().hop);
  }
  [[nodiscard]] Niu& niu(int layer, int node) {
    return nius_[static_cast<std::size_t>(layer * network_.nodes() + node)];
  }

  Task<> play(std::size_t stream, const NocStream* next) {
    std::array<GroupPtr, 2> open;  // of reads, of writes
    Time shift{};
    Time begun{};
    for (std::uint64_t i = 0;; ++i) {
      const std::optional<NocEvent> event = (*next)();
      if (!event) break;
      co_await sim_.until(later(at(event->cycle), shift));
      if (event->op == NocOp::barrier_begin) {
        begun = sim_.now();
      } else if (event->op != NocOp::barrier_end) {
        issue(key_of(stream, i), *event, open);
      } else if (loop_ == NocLoop::open) {
        (void)sim_.spawn("a barrier", end(closed(stream, *event, begun, open)));
      } else {
        co_await end(closed(stream, *event, begun, open));
        shift = sim_.now() - at(event->cycle);
      }
    }
  }

  static std::uint64_t key_of(std::size_t stream, std::uint64_t i) {
    constexpr int kEvents = 44;  // bits
    return (std::uint64_t{stream} << kEvents) | i;
  }

  void begin_one() { result_.most_live = std::max(result_.most_live, ++live_); }

  [[nodiscard]] Barrier closed(std::size_t stream, const NocEvent& event, Time begun,
                               std::array<GroupPtr, 2>& open) const {
    Barrier barrier{.stream = stream,
                    .node = network_.node(event.from),
                    .cycle = event.cycle,
                    .begun = begun,
                    .groups = {}};
    for (const std::size_t kind : {0U, 1U}) {
      if (!(kind == 0 ? event.waits.reads : event.waits.writes) || !open[kind]) continue;
      open[kind]->closed = true;
      barrier.groups.push_back(std::exchange(open[kind], nullptr));
    }
    return barrier;
  }

  // Ends after its transfers, once the processor has seen them.
  Task<> end(Barrier barrier) {
    begin_one();
    Time last{};
    for (const GroupPtr& group : barrier.groups) {
      if (group->under_way > 0) {
        co_await group->none_under_way.wait();
      }
      last = std::max(last, group->last);
    }
    Time end = later(barrier.begun, spec().barrier);
    if (!barrier.groups.empty()) end = std::max(end, later(last, spec().resume));
    co_await sim_.until(end);
    ended_ = std::max(ended_, end);
    --live_;
    if (!barrier.groups.empty()) note(barrier, end);
  }

  void note(const Barrier& barrier, Time end) {
    const Group& first = **std::ranges::min_element(barrier.groups, {}, &Group::first_cycle);
    NocBarrier noted{.stream = barrier.stream,
                     .node = barrier.node,
                     .first = first.first_cycle,
                     .measured = barrier.cycle - first.first_cycle,
                     .predicted = to_ns(end - first.first) / cycle_};
    for (const GroupPtr& group : barrier.groups) {
      noted.transfers += group->transfers;
      noted.reads = noted.reads || group->reads;
    }
    if (noted_at_ != sim_.now()) report();
    noted_at_ = sim_.now();
    noted_.push_back(noted);
    ++result_.barriers;
  }

  // Reports barriers of one time in a fixed order.
  void report() {
    std::ranges::sort(noted_, {}, [](const NocBarrier& b) { return std::pair{b.stream, b.first}; });
    for (const NocBarrier& barrier : noted_) sink_(barrier);
    noted_.clear();
  }

  void issue(std::uint64_t key, const NocEvent& event, std::array<GroupPtr, 2>& open) {
    const bool reads = event.op == NocOp::read;
    GroupPtr& group = open[reads ? 0 : 1];
    if (!group) {
      group = std::make_shared<Group>(sim_);
      group->first_cycle = event.cycle;
      group->first = sim_.now();
      group->reads = reads;
    }
    ++group->transfers;
    ++group->under_way;
    begin_one();
    ++result_.transfers;
    result_.bytes += event.size.count();
    const int core = network_.node(event.from);
    const int other = network_.node(event.to);
    Transfer transfer{.key = key,
                      .event = event,
                      .sender = reads ? other : core,
                      .receiver = reads ? core : other,
                      .group = group};
    (void)sim_.spawn("a transfer", carry(std::move(transfer)));
  }

  // From the processor's command to the end as the processor sees it.
  Task<> carry(Transfer transfer) {
    const int layer = transfer.event.layer;
    const bool reads = transfer.event.op == NocOp::read;
    const Time there = reads ? hops(layer, transfer.receiver, transfer.sender) : Time{0};
    const Time memory = reads ? network_.kind(transfer.sender).latency : Time{0};
    co_await sim_.delay(spec().niu + there + memory);
    Event turn{sim_};
    const int input = reads ? network_.input(layer, transfer.receiver, transfer.sender) : 0;
    Niu& sender = niu(layer, transfer.sender);
    sender.waiting[input].push_back(&turn);
    serve(sender, transfer.sender);
    co_await turn.wait();
    if (transfer.event.op == NocOp::multicast) {
      co_await shares_.pass(transfer.key, bytes_of(transfer), of_all(transfer));
    } else {
      co_await over_its_way(transfer);
    }
    --sender.busy;
    serve(sender, transfer.sender);
    const Time back = reads ? Time{0} : hops(layer, transfer.receiver, transfer.sender);
    co_await sim_.delay(hops(layer, transfer.sender, transfer.receiver) + spec().niu + back);
    arrive(*transfer.group);
  }

  static double bytes_of(const Transfer& transfer) {
    return static_cast<double>(std::max<std::int64_t>(transfer.event.size.count(), 1));
  }

  // Takes channels in the order of the route, and holds all of them until the last byte has left.
  Task<> over_its_way(Transfer transfer) {
    const int layer = transfer.event.layer;
    topology::NocRoute route = network_.route(layer, transfer.sender, transfer.receiver);
    for (const std::uint32_t channel : route.channels) {
      co_await channels_[channel].take();
    }
    route.links.push_back(network_.injection(layer, transfer.sender));
    route.links.push_back(network_.sink(layer, transfer.receiver));
    route.links.push_back(network_.memory(transfer.sender));
    co_await shares_.pass(transfer.key, bytes_of(transfer), std::move(route.links));
    for (const std::uint32_t channel : route.channels) channels_[channel].give();
  }

  // A multicast takes each link of the routes to its targets once, and no channels.
  [[nodiscard]] std::vector<std::uint32_t> of_all(const Transfer& transfer) const {
    const NocEvent& event = transfer.event;
    const int layer = event.layer;
    std::set<std::uint32_t> all{network_.injection(layer, transfer.sender), network_.memory(transfer.sender)};
    const auto [left, right] = std::minmax(event.to.x, event.last.x);
    const auto [top, bottom] = std::minmax(event.to.y, event.last.y);
    for (int y = top; y <= bottom; ++y) {
      for (int x = left; x <= right; ++x) {
        const int target = network_.node({static_cast<std::int16_t>(x), static_cast<std::int16_t>(y)});
        all.insert(network_.sink(layer, target));
        const std::vector<std::uint32_t> links = network_.route(layer, transfer.sender, target).links;
        all.insert(links.begin(), links.end());
      }
    }
    return {all.begin(), all.end()};
  }

  // The NIU's inputs take turns.
  void serve(Niu& niu, int node) {
    while (niu.busy < network_.kind(node).outstanding && !niu.waiting.empty()) {
      auto next = niu.waiting.upper_bound(niu.served);
      if (next == niu.waiting.end()) next = niu.waiting.begin();
      niu.served = next->first;
      ++niu.busy;
      next->second.front()->set();
      next->second.pop_front();
      if (next->second.empty()) niu.waiting.erase(next);
    }
  }

  void arrive(Group& group) {
    --live_;
    group.last = sim_.now();
    ended_ = std::max(ended_, group.last);
    if (--group.under_way == 0 && group.closed) group.none_under_way.set();
  }

  const NocNetwork& network_;
  NocLoop loop_;
  const NocBarrierSink& sink_;
  double cycle_;  // ns
  Simulation sim_;
  FairShares shares_;
  std::deque<Semaphore> channels_;  // by class of channels
  std::vector<Niu> nius_;
  std::vector<NocBarrier> noted_;  // at noted_at_, not reported yet
  Time noted_at_{};
  std::uint64_t live_ = 0;
  NocResult result_;
  Time ended_{};
};

}  // namespace

NocResult replay_noc(const NocNetwork& network, const std::vector<NocStream>& streams, NocLoop loop,
                     const NocBarrierSink& ended) {
  return Replay{network, loop, ended}.run(streams);
}

}  // namespace kbsim::hw
