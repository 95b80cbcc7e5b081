#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "callback_pipeline.hpp"
#include "heap_engine.hpp"
#include "wheel_engine.hpp"
#include "workloads.hpp"
#include "worlds.hpp"

// The workloads as callbacks, in a 4-ary heap or in lib/sim's queue of events.

namespace kbsim::bench {
namespace {

template <class Engine>
struct CallbackWorld {
  void run() { engine.run(); }
  [[nodiscard]] std::uint64_t events() const { return engine.events(); }
  Engine engine;
};

template <class Engine>
struct CallbackWanderers : CallbackWorld<Engine> {
  struct Wanderer {
    Engine* engine;
    Random random;
    std::int64_t left;
    static void wake(void* self) {
      auto& me = *static_cast<Wanderer*>(self);
      if (me.left-- > 0) me.engine->at(me.engine->now() + next_delay(me.random), &wake, self);
    }
  };
  CallbackWanderers(std::int64_t processes, std::int64_t wakes) : n{processes}, each{wakes / n} {
    wanderers.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      wanderers.push_back({&this->engine, Random{static_cast<std::uint64_t>(i)}, each});
      this->engine.at(0, &Wanderer::wake, &wanderers.back());
    }
  }
  [[nodiscard]] std::int64_t items() const { return n * each; }
  [[nodiscard]] std::int64_t parts() const { return n; }
  std::int64_t n;
  std::int64_t each;
  std::vector<Wanderer> wanderers;
};

template <class Engine>
struct CallbackStages : CallbackWorld<Engine> {
  explicit CallbackStages(std::int64_t items)
      : pipeline{this->engine, kStages, kService, items / static_cast<std::int64_t>(kStages)} {}
  void run() {
    pipeline.start();
    this->engine.run();
  }
  [[nodiscard]] std::int64_t items() const {
    return pipeline.delivered() * static_cast<std::int64_t>(kStages);
  }
  [[nodiscard]] static std::int64_t parts() { return kStages; }
  CallbackPipeline<Engine> pipeline;
};

/// A process wakes another by an event at the current time, as the coroutines do.
template <class Engine>
struct CallbackMesh : CallbackWorld<Engine> {
  struct Port;
  struct Link {
    bool held = false;
    std::deque<Port*> waiting;
  };
  struct Port {
    CallbackMesh* mesh;
    int node;
    bool idle = true;
    Packet packet{};  // at its head
    std::deque<Packet> queue{};
  };
  struct Source {
    CallbackMesh* mesh;
    int node;
    Arrivals arrivals;
    std::int64_t left;
  };

  explicit CallbackMesh(std::int64_t hops_about) {
    const std::int64_t packets = packets_for(hops_about);
    for (int node = 0; node < kNodes; ++node) {
      for (Port& input : inputs[static_cast<std::size_t>(node)]) input = {.mesh = this, .node = node};
      sources.push_back({.mesh = this, .node = node, .arrivals = Arrivals{node}, .left = packets});
    }
    for (Source& source : sources) this->engine.at(source.arrivals.interval(), &send, &source);
  }

  static void send(void* argument) {
    auto& source = *static_cast<Source*>(argument);
    source.mesh->push(source.node, kHere, source.arrivals.packet());
    if (--source.left > 0)
      source.mesh->engine.at(source.mesh->engine.now() + source.arrivals.interval(), &send, argument);
  }
  void push(int node, int input, const Packet& packet) {
    Port& port = inputs[static_cast<std::size_t>(node)][static_cast<std::size_t>(input)];
    port.queue.push_back(packet);
    if (!port.idle) return;
    port.idle = false;
    this->engine.at(this->engine.now(), &receive, &port);
  }
  static void receive(void* argument) {
    auto& port = *static_cast<Port*>(argument);
    for (;;) {
      port.idle = port.queue.empty();
      if (port.idle) return;
      port.packet = port.queue.front();
      port.queue.pop_front();
      if (direction(port.node, port.packet.target) != kHere) return port.mesh->take(port);
    }
  }
  Link& link_of(const Port& port) {
    return links[static_cast<std::size_t>(port.node)]
                [static_cast<std::size_t>(direction(port.node, port.packet.target))];
  }
  void take(Port& port) {
    Link& link = link_of(port);
    if (link.held) return link.waiting.push_back(&port);
    link.held = true;
    cross(&port);
  }
  static void cross(void* argument) {
    auto& port = *static_cast<Port*>(argument);
    Engine& engine = port.mesh->engine;
    engine.at(engine.now() + port.packet.service, &crossed, argument);
  }
  static void crossed(void* argument) {
    auto& port = *static_cast<Port*>(argument);
    CallbackMesh& mesh = *port.mesh;
    Link& link = mesh.link_of(port);
    link.held = !link.waiting.empty();
    if (link.held) {
      mesh.engine.at(mesh.engine.now(), &cross, link.waiting.front());
      link.waiting.pop_front();
    }
    ++mesh.hops;
    const int way = direction(port.node, port.packet.target);
    mesh.push(neighbour(port.node, way), way, port.packet);
    receive(&port);
  }

  [[nodiscard]] std::int64_t items() const { return hops; }
  [[nodiscard]] static std::int64_t parts() { return kNodes * (kInputs + 1); }
  std::array<std::array<Port, kInputs>, kNodes> inputs;
  std::array<std::array<Link, kDirections>, kNodes> links;
  std::vector<Source> sources;
  std::int64_t hops = 0;
};

template <class Engine>
std::optional<Figures> run_on(const std::string& workload, std::int64_t items) {
  const auto w1 = [items](std::int64_t n) {
    using World = CallbackWanderers<Engine>;
    return measure<World>([=] { return std::make_unique<World>(n, items); });
  };
  const auto one = [items]<class World>() {
    return measure<World>([items] { return std::make_unique<World>(items); });
  };
  if (workload == "W1-1k") return w1(1000);
  if (workload == "W1-100k") return w1(100'000);
  if (workload == "W2") return one.template operator()<CallbackStages<Engine>>();
  if (workload == "W3") return one.template operator()<CallbackMesh<Engine>>();
  return std::nullopt;
}

}  // namespace

std::optional<Figures> run_on_heap(const std::string& workload, std::int64_t items) {
  return run_on<HeapEngine>(workload, items);
}
std::optional<Figures> run_on_wheel(const std::string& workload, std::int64_t items) {
  return run_on<WheelEngine>(workload, items);
}

}  // namespace kbsim::bench
