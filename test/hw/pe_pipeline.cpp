#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"
#include "kbsim/hw/pe/tile_pipeline.hpp"

namespace kbsim::hw::test::pe_pipeline_test {
namespace {

// Stages of constant times; those from `once` on run only for every `group`-th tile.
class Constant : public TileWork {
 public:
  Constant(Simulation& sim, std::vector<Time> times, std::size_t once = 99, std::int64_t group = 1)
      : sim_{sim}, times_{std::move(times)}, once_{once}, group_{group} {}

 private:
  [[nodiscard]] bool runs(std::size_t stage, std::int64_t tile) const override {
    return stage < once_ || tile % group_ == group_ - 1;
  }
  [[nodiscard]] Task<Time> run(std::size_t stage, std::int64_t) override {
    co_await sim_.delay(times_[stage]);
    co_return times_[stage];
  }
  Simulation& sim_;
  std::vector<Time> times_;
  std::size_t once_;
  std::int64_t group_;
};

// Stages of constant times whose tiles are on their way for a latency first, from when they reach the stage.
class Latent : public TileWork {
 public:
  Latent(Simulation& sim, std::vector<Time> latencies, std::vector<Time> times)
      : sim_{sim}, latencies_{std::move(latencies)}, times_{std::move(times)}, ends_(times_.size()) {}

 private:
  [[nodiscard]] bool runs(std::size_t, std::int64_t) const override { return true; }
  void begin(std::size_t stage, std::int64_t) override {
    std::vector<Time>& ends = ends_[stage];
    const Time there = sim_.now() + latencies_[stage];
    ends.push_back(std::max(there, ends.empty() ? Time{} : ends.back()) + times_[stage]);
  }
  [[nodiscard]] Task<Time> run(std::size_t stage, std::int64_t tile) override {
    const Time start = sim_.now();
    co_await sim_.until(ends_[stage][static_cast<std::size_t>(tile)]);
    co_return sim_.now() - start;
  }
  Simulation& sim_;
  std::vector<Time> latencies_;
  std::vector<Time> times_;
  std::vector<std::vector<Time>> ends_;  // of each stage, by tile
};

struct Outcome {
  Time took{};
  std::vector<StageRecord> stages;
};

Outcome stream(const std::vector<Time>& times, std::int64_t tiles, int depth, std::size_t once = 99,
               std::int64_t group = 1) {
  Simulation sim;
  Constant work{sim, times, once, group};
  std::vector<std::string> names(times.size(), "stage");
  TilePipeline pipeline{sim, work, names, tiles, TilePipeline::in_flight(depth, times.size())};
  (void)sim.spawn("pipeline", pipeline.run());
  sim.run();
  return {sim.now(), pipeline.stages()};
}

Time sum(const std::vector<Time>& times) { return std::accumulate(times.begin(), times.end(), Time{}); }
Time longest(const std::vector<Time>& times) { return *std::ranges::max_element(times); }

std::vector<Time> random_times(Random& random) {
  std::vector<Time> times(1 + random.below(6));
  for (Time& time : times) time = Time{static_cast<std::int64_t>(random.below(50))};
  return times;
}

}  // namespace

TEST_CASE("TilePipeline: sum a_i + (T - 1) max a_i from depth 2 on, exactly") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const std::vector<Time> times = random_times(random);
    const auto tiles = static_cast<std::int64_t>(1 + random.below(40));
    const int depth = static_cast<int>(2 + random.below(3));
    CHECK(stream(times, tiles, depth).took == sum(times) + (tiles - 1) * longest(times));
  }
}

TEST_CASE("TilePipeline: T sum a_i with depth 1, exactly") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const std::vector<Time> times = random_times(random);
    const auto tiles = static_cast<std::int64_t>(1 + random.below(40));
    CHECK(stream(times, tiles, 1).took == tiles * sum(times));
  }
}

TEST_CASE("TilePipeline: a latency is paid once, or again when all places are taken, exactly") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const std::vector<Time> times = random_times(random);
    std::vector<Time> latencies(times.size());
    for (Time& latency : latencies) latency = Time{static_cast<std::int64_t>(random.below(100))};
    const auto tiles = static_cast<std::int64_t>(1 + random.below(40));
    const std::int64_t n = TilePipeline::in_flight(static_cast<int>(1 + random.below(4)), times.size());
    Simulation sim;
    Latent work{sim, latencies, times};
    TilePipeline pipeline{sim, work, std::vector<std::string>(times.size(), "stage"), tiles, n};
    (void)sim.spawn("pipeline", pipeline.run());
    sim.run();
    const Time alone = sum(times) + sum(latencies);
    const Time most = longest(times);
    CHECK(sim.now() == alone + (tiles - 1) % n * most + (tiles - 1) / n * std::max(alone, n * most));
  }
}

TEST_CASE(
    "TilePipeline: stages that run once a group keep the form while they aren't longer than the group") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const auto group = static_cast<std::int64_t>(1 + random.below(8));
    std::vector<Time> times = random_times(random);
    const std::size_t once = times.size();
    const Time most = longest(times);
    times.push_back(Time{static_cast<std::int64_t>(random.below(50)) * most.count() * group / 50});
    const auto tiles = group * static_cast<std::int64_t>(1 + random.below(8));
    CHECK(stream(times, tiles, 2, once, group).took == sum(times) + (tiles - 1) * most);
  }
}

TEST_CASE("TilePipeline: a stage's record has its tiles, its busy time and its span") {
  const std::vector<Time> times{3_ns, 7_ns, 2_ns};
  const Outcome outcome = stream(times, 10, 2, 2, 5);
  CHECK(outcome.stages[0].tiles == 10);
  CHECK(outcome.stages[0].busy == 30_ns);
  CHECK(outcome.stages[1].busy == 70_ns);
  CHECK(outcome.stages[1].first_start == 3_ns);
  CHECK(outcome.stages[1].span() == 70_ns);
  CHECK(outcome.stages[2].tiles == 2);
  CHECK(outcome.stages[2].busy == 4_ns);
  CHECK(outcome.stages[2].span() == 35_ns + 2_ns);
}

TEST_CASE("TilePipeline: what a stage throws ends the whole") {
  class Throws : public TileWork {
    [[nodiscard]] bool runs(std::size_t, std::int64_t) const override { return true; }
    [[nodiscard]] Task<Time> run(std::size_t stage, std::int64_t tile) override {
      if (stage == 1 && tile == 3) throw KernelFault{"no such tile"};
      co_return Time{};
    }
  };
  Simulation sim;
  Throws work;
  TilePipeline pipeline{sim, work, {"a", "b"}, 10, 3};
  (void)sim.spawn("pipeline", pipeline.run());
  CHECK_THROWS_WITH_AS(sim.run(), doctest::Contains("no such tile"), Error);
}

}  // namespace kbsim::hw::test::pe_pipeline_test
