#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "kbsim/sim/channel.hpp"
#include "kbsim/sim/mailbox.hpp"
#include "kbsim/sim/semaphore.hpp"
#include "kbsim/sim/simulation.hpp"

#include "workloads.hpp"
#include "worlds.hpp"

// The workloads as coroutines on lib/sim.

namespace kbsim::bench {
namespace {

struct SimWorld {
  void run() { sim.run(); }
  [[nodiscard]] std::uint64_t events() const { return sim.events(); }
  Simulation sim;
};

Task<> wander(Simulation* sim, std::uint64_t seed, std::int64_t wakes) {
  Random random{seed};
  for (std::int64_t i = 0; i < wakes; ++i) co_await sim->delay(Time{next_delay(random)});
}

struct Wanderers : SimWorld {
  Wanderers(std::int64_t processes, std::int64_t wakes) : n{processes}, each{wakes / n} {
    for (std::int64_t i = 0; i < n; ++i) sim.spawn("", wander(&sim, static_cast<std::uint64_t>(i), each));
  }
  [[nodiscard]] std::int64_t items() const { return n * each; }
  [[nodiscard]] std::int64_t parts() const { return n; }
  std::int64_t n;
  std::int64_t each;
};

Task<> source(Channel<std::int64_t>* out, std::int64_t items) {
  for (std::int64_t i = 0; i < items; ++i) co_await out->send(i);
}
Task<> stage(Simulation* sim, Channel<std::int64_t>* in, Channel<std::int64_t>* out) {
  for (;;) {
    const std::int64_t item = co_await in->receive();
    co_await sim->delay(Time{kService});
    co_await out->send(item);
  }
}
Task<> sink(Channel<std::int64_t>* in, std::int64_t* arrived) {
  for (;;) {
    [[maybe_unused]] const std::int64_t item = co_await in->receive();
    ++*arrived;
  }
}

struct Pipeline : SimWorld {
  explicit Pipeline(std::int64_t items) {
    for (std::size_t i = 0; i <= kStages; ++i)
      channels.push_back(std::make_unique<Channel<std::int64_t>>(sim, "", kPlaces));
    sim.spawn("source", source(channels.front().get(), items / static_cast<std::int64_t>(kStages)));
    for (std::size_t i = 0; i < kStages; ++i)
      sim.serve("stage", stage(&sim, channels[i].get(), channels[i + 1].get()));
    sim.serve("sink", sink(channels.back().get(), &arrived));
  }
  [[nodiscard]] std::int64_t items() const { return arrived * static_cast<std::int64_t>(kStages); }
  [[nodiscard]] static std::int64_t parts() { return kStages + 2; }
  std::vector<std::unique_ptr<Channel<std::int64_t>>> channels;
  std::int64_t arrived = 0;
};

struct Mesh : SimWorld {
  using Input = Channel<Packet>;
  using Link = Semaphore;  // of one place, held by a packet

  struct Node {
    std::array<std::optional<Input>, kInputs> inputs;
    std::array<std::optional<Link>, kDirections> links;
  };

  explicit Mesh(std::int64_t hops_about) {
    for (Node& node : nodes) {
      for (auto& input : node.inputs) input.emplace(sim, "", std::numeric_limits<std::size_t>::max());
      for (auto& link : node.links) link.emplace(sim, "", 1);
    }
    for (int node = 0; node < kNodes; ++node) {
      for (auto& input : at(node).inputs) sim.serve("port", forward(this, node, &*input));
      sim.spawn("source", send(this, node, packets_for(hops_about)));
    }
  }

  static Task<> send(Mesh* mesh, int node, std::int64_t packets) {
    Arrivals arrivals{node};
    for (std::int64_t i = 0; i < packets; ++i) {
      co_await mesh->sim.delay(Time{arrivals.interval()});
      co_await mesh->at(node).inputs[kHere]->send(arrivals.packet());
    }
  }
  static Task<> forward(Mesh* mesh, int node, Input* input) {
    for (;;) {
      const Packet packet = co_await input->receive();
      const int way = direction(node, packet.target);
      if (way == kHere) continue;
      const auto index = static_cast<std::size_t>(way);
      Link& link = *mesh->at(node).links[index];
      co_await link.take();
      co_await mesh->sim.delay(Time{packet.service});
      link.give();
      ++mesh->hops;
      co_await mesh->at(neighbour(node, way)).inputs[index]->send(packet);
    }
  }

  [[nodiscard]] Node& at(int node) { return nodes[static_cast<std::size_t>(node)]; }
  [[nodiscard]] std::int64_t items() const { return hops; }
  [[nodiscard]] static std::int64_t parts() { return kNodes * (kInputs + 1); }
  std::array<Node, kNodes> nodes;
  std::int64_t hops = 0;
};

Task<std::int64_t> child(std::int64_t n) { co_return n; }
Task<> call(std::int64_t calls, std::int64_t* sum) {
  for (std::int64_t i = 0; i < calls; ++i) {
    const std::int64_t result = co_await child(i);
    *sum += result;
  }
}

struct Calls : SimWorld {
  explicit Calls(std::int64_t calls) : n{calls} { sim.spawn("calls", call(n, &sum)); }
  [[nodiscard]] std::int64_t items() const { return n; }
  [[nodiscard]] static std::int64_t parts() { return 1; }
  std::int64_t n;
  std::int64_t sum = 0;
};

Task<> pass_on(Simulation* sim, Mailbox<std::int64_t>* in, Mailbox<std::int64_t>* out, std::int64_t* posts) {
  for (;;) {
    const std::int64_t left = co_await in->receive();
    ++*posts;
    if (left > 1) out->post(sim->now() + Time{kService}, left - 1);
  }
}

struct Posts : SimWorld {
  explicit Posts(std::int64_t posts) {
    sim.serve("a", pass_on(&sim, &a, &b, &n));
    sim.serve("b", pass_on(&sim, &b, &a, &n));
    for (int i = 0; i < 16; ++i) a.post(Time{i}, posts / 16);
  }
  [[nodiscard]] std::int64_t items() const { return n; }
  [[nodiscard]] static std::int64_t parts() { return 2; }
  std::int64_t n = 0;
  Mailbox<std::int64_t> a{sim, "a"};
  Mailbox<std::int64_t> b{sim, "b"};
};

template <class World>
std::optional<Figures> run(std::int64_t items) {
  return measure<World>([items] { return std::make_unique<World>(items); });
}

}  // namespace

std::optional<Figures> run_on_sim(const std::string& workload, std::int64_t items) {
  const auto w1 = [items](std::int64_t n) {
    return measure<Wanderers>([=] { return std::make_unique<Wanderers>(n, items); });
  };
  if (workload == "W1-1k") return w1(1000);
  if (workload == "W1-100k") return w1(100'000);
  if (workload == "W2") return run<Pipeline>(items);
  if (workload == "W3") return run<Mesh>(items);
  if (workload == "call") return run<Calls>(items);
  if (workload == "post") return run<Posts>(items);
  return std::nullopt;
}

}  // namespace kbsim::bench
