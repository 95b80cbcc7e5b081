#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/oplog/log.hpp"

namespace kbsim::hw {

/// An engine private to a PE: a single server in program order. The issuer knows when a command's operands
/// are ready, so start = max(earliest, free) is known at issue; one event retires the command at its end,
/// when it is recorded.
class PeEngine : public Component {
 public:
  PeEngine(Fabric& fabric, NodeId id);

  void start(Machine& machine) override;

  /// `op` gets its start and end; returns the end.
  Time issue(Time earliest, Time cost, oplog::Op op);

  /// A piece of work on what others record: it starts as soon as the engine is free.
  struct Work {
    std::array<std::uint64_t, 2> order;  // among those that ask at one time
    Time cost{};
    Time end{};  // known once it is served
  };
  /// In the arrival phase; then, late, serve(). `work` stays where it is until then.
  void ask(Work& work) { asked_.push_back(&work); }
  /// Takes up what was asked for at this time, by its order: nobody's events come first.
  void serve();

  /// `op` is recorded at `at`, or now if that is past, and takes no time; returns when.
  Time note(Time at, oplog::Op op);

  /// When everything issued will be done.
  [[nodiscard]] Time free() const { return free_; }
  [[nodiscard]] Time busy() const { return use_.busy; }
  [[nodiscard]] std::vector<UnitUse> use() const override { return {use_}; }

 private:
  Task<> retire(oplog::OpLog* log);

  Time free_{};
  std::vector<Work*> asked_;
  UnitUse use_;
  Mailbox<oplog::Op> retired_;
};

struct PeMathSpec {
  int lanes = 64;
  double freq_ghz = 1.0;
  Time startup = 4_ns;
  int elementwise_cycles = 1;
  int transcendental_cycles = 4;
  int reduce_cycles = 1;
  int move_cycles = 1;
  static void describe(auto& f) {
    f.add("lanes", &PeMathSpec::lanes, at_least(1), "elements a cycle");
    f.add("freq_ghz", &PeMathSpec::freq_ghz, kPositive, "clock");
    f.add("startup_ns", &PeMathSpec::startup, kNotNegative, "fill of the pipeline, once a command");
    f.add("elementwise_cycles", &PeMathSpec::elementwise_cycles, at_least(1),
          "each `lanes` elements of fills, casts, arithmetic, comparisons, where, abs, floor and ceil");
    f.add("transcendental_cycles", &PeMathSpec::transcendental_cycles, at_least(1),
          "each `lanes` elements of exp, log, sqrt, sin, tanh, erf and their like");
    f.add("reduce_cycles", &PeMathSpec::reduce_cycles, at_least(1),
          "each `lanes` elements of reductions, cumsum and topk");
    f.add("move_cycles", &PeMathSpec::move_cycles, at_least(1),
          "each `lanes` elements of permute, broadcast and cat");
  }
};

/// Vector engine: startup + ceil(elements / lanes) * cycles / freq, where `elements` is the larger of what
/// goes in by one operand and what comes out, and `cycles` the class's. A softmax is a maximum, a
/// difference, an exponential, a sum and a quotient.
class PeMath : public PeEngine {
 public:
  PeMath(Fabric& fabric, NodeId id, PeMathSpec spec) : PeEngine{fabric, id}, spec_{spec} {}
  [[nodiscard]] Time cost(std::int64_t elements, std::int64_t cycles = 1) const;
  [[nodiscard]] Time cost(const oplog::Op& op) const;

 private:
  [[nodiscard]] std::int64_t cycles(const oplog::Op& op) const;

  PeMathSpec spec_;
};

/// The block of a product that the matrix engine takes at once.
struct GemmTile {
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;
};

struct PeGemmSpec {
  double macs_per_ns = 4096.0;
  static void describe(auto& f) {
    f.add("macs_per_ns", &PeGemmSpec::macs_per_ns, kPositive,
          "multiply-accumulates of the array in a nanosecond");
  }
};

/// Matrix engine: whole tiles of m x k x n, padded, at macs_per_ns.
class PeGemm : public PeEngine {
 public:
  PeGemm(Fabric& fabric, NodeId id, PeGemmSpec spec) : PeEngine{fabric, id}, spec_{spec} {}
  [[nodiscard]] Time tile_cost(std::int64_t m, std::int64_t k, std::int64_t n) const;
  /// Of a whole `dot`, cut into tiles along m, k and n.
  [[nodiscard]] Time cost(const oplog::Op& dot, const GemmTile& tile) const;

 private:
  PeGemmSpec spec_;
};

}  // namespace kbsim::hw
