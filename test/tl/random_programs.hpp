#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/ids.hpp"
#include "kbsim/sim/wait_graph.hpp"
#include "kbsim/tl/kernel.hpp"

/// Random programs of PEs that send and receive, and a reference without time that finds stuck PEs.
namespace kbsim::test {

/// One queue pair between two PEs, each with its own name for it.
struct Wire {
  int a, b;  // PEs
  std::string name_at_a, name_at_b;
};

struct Step {
  enum class Kind : std::uint8_t { send, recv, keep_send, keep_recv, hold, await_oldest, let_go };
  Kind kind;
  std::string dir;  // of those that have one
};

struct Programs {
  std::vector<Wire> wires;
  std::vector<std::vector<Step>> steps;  // by PE
  int slots = 1;
  bool fetched = false;
};

inline std::vector<std::string> names_at(const Programs& programs, int pe) {
  std::vector<std::string> names;
  for (const Wire& wire : programs.wires) {
    if (wire.a == pe) names.push_back(wire.name_at_a);
    if (wire.b == pe) names.push_back(wire.name_at_b);
  }
  return names;
}

/// Steps come in pairs that would fit, at random places; then some are lost, so that about half get stuck.
inline Programs random_programs(std::uint64_t seed, int pes) {
  std::mt19937_64 random{seed};
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
  Programs programs{.wires = {}, .steps = std::vector<std::vector<Step>>(static_cast<std::size_t>(pes))};
  programs.slots = 1 + below(3);
  programs.fetched = below(2) == 0;
  for (int i = 0, wires = 1 + below(5); i < wires; ++i) {
    const int a = below(pes);
    const int b = (a + 1 + below(pes - 1)) % pes;
    const std::string name = "q" + std::to_string(i);
    programs.wires.push_back({.a = a, .b = b, .name_at_a = name, .name_at_b = name + "'"});
  }
  const auto insert = [&](int pe, const Step& step) {
    auto& steps = programs.steps[static_cast<std::size_t>(pe)];
    // Near the end, so mostly in the order of the calls.
    const int back = std::min(static_cast<int>(steps.size()), below(4) == 0 ? below(6) : 0);
    steps.insert(steps.end() - back, step);
  };
  for (int i = 0, messages = below(25); i < messages; ++i) {
    const Wire& wire =
        programs.wires[static_cast<std::size_t>(below(static_cast<int>(programs.wires.size())))];
    const bool forth = below(2) == 0;
    using enum Step::Kind;
    constexpr Step::Kind kSends[]{send, send, keep_send};
    constexpr Step::Kind kRecvs[]{recv, recv, keep_recv, hold};
    const bool lost_send = below(40) == 0;
    const bool lost_recv = below(40) == 0;
    const int from = forth ? wire.a : wire.b;
    const int to = forth ? wire.b : wire.a;
    if (!lost_send) insert(from, {kSends[below(3)], forth ? wire.name_at_a : wire.name_at_b});
    if (!lost_recv) insert(to, {kRecvs[below(4)], forth ? wire.name_at_b : wire.name_at_a});
    if (below(3) == 0) insert(below(2) == 0 ? from : to, {below(2) == 0 ? await_oldest : let_go, ""});
  }
  return programs;
}

// ---- the kernel

struct ProgramArgs {
  const std::vector<Step>* steps;
};

inline Task<> random_program(TL& tl, ProgramArgs args) {
  const Tile tile = tl.zeros({2}, f16);
  std::vector<Tile> held;
  std::vector<std::pair<Pending<void>, Pending<Tile>>> kept;  // in order; one of the two is empty
  std::size_t oldest = 0;
  for (const Step& step : *args.steps) {
    const Dir dir{step.dir};
    switch (step.kind) {
      case Step::Kind::send: {
        co_await tl.send({.dir = dir, .src = tile});
        break;
      }
      case Step::Kind::recv: {
        co_await tl.recv({.dir = dir, .shape = {2}});
        break;
      }
      case Step::Kind::keep_send:
        kept.emplace_back(tl.send({.dir = dir, .src = tile}), Pending<Tile>{});
        break;
      case Step::Kind::keep_recv:
        kept.emplace_back(Pending<void>{}, tl.recv({.dir = dir, .shape = {2}}));
        break;
      case Step::Kind::hold: {
        const Tile got = co_await tl.recv({.dir = dir, .shape = {2}});
        held.push_back(got);
        break;
      }
      case Step::Kind::await_oldest: {
        if (oldest == kept.size()) break;
        co_await kept[oldest].first;
        co_await kept[oldest].second;
        kept[oldest++] = {};
        break;
      }
      case Step::Kind::let_go: held.clear(); break;
    }
  }
  for (; oldest < kept.size(); ++oldest) {
    co_await kept[oldest].first;
    co_await kept[oldest].second;
    kept[oldest] = {};
  }
}

// ---- the same without time

/// The waits at the end: each stuck PE, and the PE that it waits for.
struct Stuck {
  std::set<std::pair<int, int>> waits;  // a PE may wait for itself
  std::set<int> pes;

  [[nodiscard]] bool empty() const { return pes.empty(); }
};

class Reference {
 public:
  explicit Reference(const Programs& programs) : programs_{programs}, pes_(programs.steps.size()) {
    for (const Wire& wire : programs.wires) {
      connect(wire.a, wire.name_at_a, wire.b, wire.name_at_b);
      connect(wire.b, wire.name_at_b, wire.a, wire.name_at_a);
    }
  }

  Stuck run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
        while (advance(static_cast<int>(pe))) moved = true;
      }
    }
    Stuck stuck;
    for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
      if (const std::optional<Operation> op = awaited(static_cast<int>(pe)))
        note(stuck, static_cast<int>(pe), *op);
    }
    return stuck;
  }

  /// True if, after all PEs have ended, a sent tile is unreceived.
  [[nodiscard]] bool leaves() const {
    return std::ranges::any_of(ways_, [](const Way& way) { return way.sends > way.receives; });
  }

 private:
  // One way of a wire: counts of tiles.
  struct Way {
    int from, to;
    int sends = 0;     // asked for
    int receives = 0;  // asked for
    std::vector<bool> let_go;
  };
  struct Operation {
    Way* way;
    bool send;
    int number;
    bool hold = false;
  };
  struct Pe {
    std::size_t next = 0;  // step
    std::optional<Operation> awaits;
    std::vector<Operation> kept;
    std::size_t oldest = 0;
    std::vector<Operation> held;
  };

  void connect(int from, const std::string& out, int to, const std::string& in) {
    Way& way = ways_.emplace_back(Way{.from = from, .to = to, .let_go = {}});
    out_[{from, out}] = &way;
    in_[{to, in}] = &way;
  }

  [[nodiscard]] int taken(const Way& way) const {
    int freed = 0;  // a tile is taken, its slot freed, the next comes: until nothing changes
    for (;;) {
      const int there = std::min(way.sends, freed + programs_.slots);
      const int taken = std::min(way.receives, there);
      const int before = freed;
      while (freed < taken && (programs_.fetched || way.let_go[static_cast<std::size_t>(freed)])) ++freed;
      if (freed == before) return taken;
    }
  }
  [[nodiscard]] int there(const Way& way) const {
    int freed = 0;
    const int received = taken(way);
    while (freed < received && (programs_.fetched || way.let_go[static_cast<std::size_t>(freed)])) ++freed;
    return std::min(way.sends, freed + programs_.slots);
  }
  [[nodiscard]] bool done(const Operation& op) const {
    return (op.send ? there(*op.way) : taken(*op.way)) > op.number;
  }

  Operation start(int pe, const Step& step) {
    using enum Step::Kind;
    if (step.kind == send || step.kind == keep_send) {
      Way& way = *out_.at({pe, step.dir});
      return {.way = &way, .send = true, .number = way.sends++};
    }
    Way& way = *in_.at({pe, step.dir});
    way.let_go.push_back(false);
    return {.way = &way, .send = false, .number = way.receives++, .hold = step.kind == hold};
  }

  static void let_go(const Operation& op) {
    if (!op.send) op.way->let_go[static_cast<std::size_t>(op.number)] = true;
  }

  [[nodiscard]] std::optional<Operation> awaited(int pe) const {
    return pes_[static_cast<std::size_t>(pe)].awaits;
  }

  // One step further, or one operation done; false if stuck or at the end.
  bool advance(int at) {
    Pe& pe = pes_[static_cast<std::size_t>(at)];
    if (pe.awaits) {
      if (!done(*pe.awaits)) return false;
      if (pe.awaits->hold) {
        pe.held.push_back(*pe.awaits);
      } else {
        let_go(*pe.awaits);
      }
      pe.awaits.reset();
      return true;
    }
    const std::vector<Step>& steps = programs_.steps[static_cast<std::size_t>(at)];
    if (pe.next < steps.size()) {
      take(at, pe, steps[pe.next++]);
      return true;
    }
    if (pe.oldest < pe.kept.size()) {
      pe.awaits = pe.kept[pe.oldest++];
      return true;
    }
    const bool holds = !pe.held.empty();
    release(pe);
    return holds;
  }

  void take(int at, Pe& pe, const Step& step) {
    using enum Step::Kind;
    if (step.kind == Step::Kind::let_go) return release(pe);
    if (step.kind == await_oldest) {
      if (pe.oldest < pe.kept.size()) pe.awaits = pe.kept[pe.oldest++];
      return;
    }
    const Operation op = start(at, step);
    if (step.kind == keep_send || step.kind == keep_recv) {
      pe.kept.push_back(op);
    } else {
      pe.awaits = op;
    }
  }

  static void release(Pe& pe) {
    for (const Operation& op : pe.held) let_go(op);
    pe.held.clear();
  }

  // A send waits for the PE that doesn't receive; a recv waits for the PE that doesn't send, or for itself if
  // it keeps all slots.
  void note(Stuck& stuck, int pe, const Operation& op) const {
    stuck.pes.insert(pe);
    const Way& way = *op.way;
    const bool keeps = !op.send && way.sends > there(way);
    stuck.waits.insert({pe, op.send ? way.to : keeps ? pe : way.from});
  }

  const Programs& programs_;
  std::deque<Way> ways_;
  std::map<std::pair<int, std::string>, Way*> out_;
  std::map<std::pair<int, std::string>, Way*> in_;
  std::vector<Pe> pes_;
};

/// The waits of a report as pairs of PE numbers; the graph's nodes have the PEs' names.
inline std::set<std::pair<int, int>> waits_of(const WaitGraph& graph, const std::vector<PeCoord>& pes) {
  const auto number = [&](std::size_t node) {
    const auto found =
        std::ranges::find(pes, graph.nodes[node].name, [](PeCoord at) { return to_string(at); });
    return static_cast<int>(found - pes.begin());
  };
  std::set<std::pair<int, int>> waits;
  for (const WaitGraph::Edge& edge : graph.edges) waits.insert({number(edge.from), number(edge.to)});
  return waits;
}

/// Checks that the reported cycle is one, of stuck PEs; without a cycle, a PE waits for one where no kernel
/// runs.
inline void check_circle(const WaitGraph& graph, const Stuck& stuck, const std::vector<PeCoord>& pes) {
  const std::vector<std::size_t> cycle = find_cycle(graph);
  for (std::size_t i = 0; i < cycle.size(); ++i)
    CHECK(graph.edges[cycle[i]].to == graph.edges[cycle[(i + 1) % cycle.size()]].from);
  const auto ended = [&](const std::pair<int, int>& wait) { return !stuck.pes.contains(wait.second); };
  CHECK((!cycle.empty() || std::ranges::any_of(stuck.waits, ended)));
  for (const WaitGraph::Edge& edge : graph.edges) {
    const bool says = edge.why.ends_with("no kernel runs there");
    const auto to =
        std::ranges::find(pes, graph.nodes[edge.to].name, [](PeCoord at) { return to_string(at); });
    CHECK(says == !stuck.pes.contains(static_cast<int>(to - pes.begin())));
  }
}

}  // namespace kbsim::test
