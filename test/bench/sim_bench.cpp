// How long an event takes, against bare callbacks on a heap in the same program. Ratios are printed at the
// end; times on a shared machine are to be read as ratios.

#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "kbsim/sim/channel.hpp"
#include "kbsim/sim/mailbox.hpp"
#include "kbsim/sim/simulation.hpp"

#include "heap_engine.hpp"
#include "heap_pipeline.hpp"

namespace {

using namespace kbsim;
using bench::HeapEngine;
using bench::HeapPipeline;
using benchmark::State;

/// A random whole number of nanoseconds from 1 to 1000, in picoseconds.
class Delays {
 public:
  explicit Delays(std::uint64_t seed) : state_{seed * 0x9e37'79b9'7f4a'7c15ULL + 1} {}
  std::int64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::int64_t>(((state_ >> 32) * 1000) >> 32) * 1000 + 1000;
  }

 private:
  std::uint64_t state_;
};

/// Runs `work` once an iteration and reports the processor time of one of its `items`.
template <class Prepare>
void measure(State& state, std::int64_t items, Prepare prepare) {
  for (auto _ : state) {
    auto world = prepare();
    const std::clock_t start = std::clock();
    world->run();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    state.SetIterationTime(seconds / static_cast<double>(items));
  }
}

// W1: n processes that each wait a random time, again and again.

constexpr std::int64_t kWakes = 2'000'000;

Task<> wander(Simulation* sim, std::uint64_t seed, std::int64_t wakes) {
  Delays delays{seed};
  for (std::int64_t i = 0; i < wakes; ++i) co_await sim->delay(Time{delays.next()});
}

struct SimWander {
  SimWander(std::int64_t n, std::int64_t wakes) {
    for (std::int64_t i = 0; i < n; ++i) sim.spawn("", wander(&sim, static_cast<std::uint64_t>(i), wakes));
  }
  void run() { sim.run(); }
  Simulation sim;
};

struct HeapWander {
  struct Wanderer {
    HeapEngine* engine;
    Delays delays;
    std::int64_t left;
    static void wake(void* self) {
      auto& me = *static_cast<Wanderer*>(self);
      if (me.left-- > 0) me.engine->at(me.engine->now() + me.delays.next(), &wake, self);
    }
  };
  HeapWander(std::int64_t n, std::int64_t wakes) {
    wanderers.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      wanderers.push_back({&engine, Delays{static_cast<std::uint64_t>(i)}, wakes});
      engine.at(0, &Wanderer::wake, &wanderers.back());
    }
  }
  void run() { engine.run(); }
  HeapEngine engine;
  std::vector<Wanderer> wanderers;
};

template <class World>
void w1(State& state) {
  const std::int64_t n = state.range(0);
  measure(state, kWakes, [n] { return std::make_unique<World>(n, kWakes / n); });
}

// W2: 64 stages of 10 ns, joined by channels of capacity 4.

constexpr std::size_t kStages = 64;
constexpr std::int64_t kItems = 20'000;

Task<> source(Channel<std::int64_t>* out) {
  for (std::int64_t i = 0; i < kItems; ++i) co_await out->send(i);
}
Task<> stage(Simulation* sim, Channel<std::int64_t>* in, Channel<std::int64_t>* out) {
  for (;;) {
    const std::int64_t item = co_await in->receive();
    co_await sim->delay(10_ns);
    co_await out->send(item);
  }
}
Task<> sink(Channel<std::int64_t>* in) {
  for (std::int64_t i = 0; i < kItems; ++i) {
    auto item = co_await in->receive();
    benchmark::DoNotOptimize(item);
  }
}

struct SimPipeline {
  SimPipeline() {
    for (std::size_t i = 0; i <= kStages; ++i) {
      channels.push_back(std::make_unique<Channel<std::int64_t>>(sim, "", 4));
    }
    sim.spawn("source", source(channels.front().get()));
    for (std::size_t i = 0; i < kStages; ++i) {
      sim.serve("stage", stage(&sim, channels[i].get(), channels[i + 1].get()));
    }
    sim.spawn("sink", sink(channels.back().get()));
  }
  void run() { sim.run(); }
  Simulation sim;
  std::vector<std::unique_ptr<Channel<std::int64_t>>> channels;
};

struct CallbackPipeline {
  void run() {
    pipeline.start();
    engine.run();
  }
  HeapEngine engine;
  HeapPipeline pipeline{engine, kStages, 10'000, kItems};
};

template <class World>
void w2(State& state) {
  measure(state, kItems * static_cast<std::int64_t>(kStages), [] { return std::make_unique<World>(); });
}

// The primitives.

constexpr std::int64_t kCalls = 1'000'000;

Task<std::int64_t> child(std::int64_t n) { co_return n; }
Task<> call() {
  for (std::int64_t i = 0; i < kCalls; ++i) {
    auto result = co_await child(i);
    benchmark::DoNotOptimize(result);
  }
}
Task<> hop(Simulation* sim, Mailbox<std::int64_t>* in, Mailbox<std::int64_t>* out) {
  for (;;) {
    const std::int64_t left = co_await in->receive();
    if (left > 0) out->post(sim->now() + 10_ns, left - 1);
  }
}

struct Calls {
  Calls() { sim.spawn("calls", call()); }
  void run() { sim.run(); }
  Simulation sim;
};
struct Hops {
  Hops() {
    sim.serve("a", hop(&sim, &a, &b));
    sim.serve("b", hop(&sim, &b, &a));
    for (int i = 0; i < 16; ++i) a.post(Time{i}, kCalls / 16);
  }
  void run() { sim.run(); }
  Simulation sim;
  Mailbox<std::int64_t> a{sim, "a"};
  Mailbox<std::int64_t> b{sim, "b"};
};
template <class World>
void primitive(State& state) {
  measure(state, kCalls, [] { return std::make_unique<World>(); });
}

/// Remembers the medians, to print their ratios.
class Ratios : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.aggregate_name == "median")
        median_[run.run_name.function_name + "/" + run.run_name.args] = run.GetAdjustedRealTime();
    }
    ConsoleReporter::ReportRuns(runs);
  }
  void print(const std::string& ours, const std::string& yardstick) {
    if (median_[ours] <= 0 || median_[yardstick] <= 0) return;
    std::printf("%-24s %6.1f ns against %6.1f ns: %.2f of the yardstick\n", ours.c_str(), median_[ours],
                median_[yardstick], median_[ours] / median_[yardstick]);
  }

 private:
  std::map<std::string, double> median_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto add = [](const char* name, void (*function)(State&)) {
    return benchmark::RegisterBenchmark(name, function)
        ->UseManualTime()
        ->Unit(benchmark::kNanosecond)
        ->Iterations(1)
        ->Repetitions(9)
        ->ReportAggregatesOnly();
  };
  add("W1/sim", w1<SimWander>)->Arg(1000)->Arg(100'000);
  add("W1/heap", w1<HeapWander>)->Arg(1000)->Arg(100'000);
  add("W2/sim", w2<SimPipeline>);
  add("W2/heap", w2<CallbackPipeline>);
  add("call of a task", primitive<Calls>);
  add("mailbox hop", primitive<Hops>);

  benchmark::Initialize(&argc, argv);
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
  ratios.print("W1/sim/1000", "W1/heap/1000");
  ratios.print("W1/sim/100000", "W1/heap/100000");
  ratios.print("W2/sim/", "W2/heap/");
}
