// An average divides each rank's number before it adds, as PyTorch and NCCL define it, in every algorithm.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/replay/numbers.hpp"

#include "collectives.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

std::vector<Collective> averages(int world, int w, int h) {
  std::vector<Collective> all;
  for (const std::string& name : algorithm_names()) {
    Collective c = collective(name, machine_of(world, w, h), 2, 24);
    if (!ccl::collective(c.algorithm.collective).combines) continue;
    c.op = Reduction::avg;
    all.push_back(c);
  }
  return all;
}

PerRank all_ranks_hold(const Collective& c, double value) {
  const auto n = static_cast<std::size_t>(parts_of(c).count() * c.n_elem);
  return PerRank(static_cast<std::size_t>(c.machine.system.sips.count), Numbers(n, value));
}

// The ranks whose output the collective defines.
bool has_result(const Collective& c, int rank) {
  return c.algorithm.collective != config::Collective::reduce || rank == c.root;
}

double rounded(double value, DType dtype) {
  return replay::to_doubles(replay::from_doubles(std::vector{value}, dtype), dtype).front();
}

// The definition, in f64: each rank's number divided and rounded, then added.
double average(const Numbers& numbers, DType dtype) {
  double sum = 0;
  for (const double number : numbers) sum += rounded(number / static_cast<double>(numbers.size()), dtype);
  return sum;
}

}  // namespace

TEST_CASE("Averages: numbers whose sum f16 can't hold have an average") {
  for (const Collective& c : averages(3, 2, 1)) {
    CAPTURE(c.algorithm.name);
    for (const Numbers& out : in_mock(c, all_ranks_hold(c, 60000))) {
      for (const double x : out) REQUIRE(std::abs(x - 60000) <= 64 * c.machine.system.sips.count);
    }
  }
}

TEST_CASE("Averages: each number is rounded once it is divided, so half of the smallest one is 0") {
  const double smallest = std::exp2(-24);
  for (const Collective& c : averages(2, 1, 1)) {
    CAPTURE(c.algorithm.name);
    const PerRank out = in_mock(c, all_ranks_hold(c, smallest));
    for (int rank = 0; rank < 2; ++rank) {
      if (!has_result(c, rank)) continue;
      const auto& mine = out[static_cast<std::size_t>(rank)];
      CHECK(std::ranges::all_of(mine, [](double x) { return x == 0; }));
    }
  }
}

TEST_CASE("Averages: of different numbers, as their definition gives them, within one rounding a sum") {
  for (const int world : {3, 5, 7}) {
    for (const Collective& c : averages(world, 1, 1)) {
      if (parts_of(c).count() != 1 || c.algorithm.collective == config::Collective::reduce_scatter) continue;
      CAPTURE(c.algorithm.name);
      CAPTURE(world);
      PerRank in = all_ranks_hold(c, 0);
      for (std::size_t rank = 0; rank < in.size(); ++rank) {
        for (std::size_t i = 0; i < in[rank].size(); ++i)
          in[rank][i] = rounded(1000.0 * std::sin(static_cast<double>(7 * rank + 3 * i + 1)), c.dtype);
      }
      const PerRank out = in_mock(c, in);
      for (int rank = 0; rank < world; ++rank) {
        if (!has_result(c, rank)) continue;
        for (std::size_t i = 0; i < in[0].size(); ++i) {
          Numbers numbers;
          for (const Numbers& one : in) numbers.push_back(one[i]);
          REQUIRE(std::abs(out[static_cast<std::size_t>(rank)][i] - average(numbers, c.dtype)) <=
                  world * std::exp2(-11) * 1000);
        }
      }
    }
  }
}
