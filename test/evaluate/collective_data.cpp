#include "kbsim/evaluate/collective_data.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <doctest/doctest.h>

#include "support.hpp"

namespace kbsim::evaluate::test::collective_data_test {

using namespace kbsim::evaluate::test;
using config::Collective;

namespace {

constexpr int kDataRanks = 3;

std::vector<double> input(const CollectiveData& data, int rank) { return data.input(rank).to_doubles(); }

std::vector<double> sum_of_inputs(const CollectiveData& data) {
  std::vector<double> sum(input(data, 0).size());
  for (int rank = 0; rank < kDataRanks; ++rank) {
    const std::vector<double> mine = input(data, rank);
    std::ranges::transform(sum, mine, sum.begin(), std::plus{});
  }
  return sum;
}

}  // namespace

TEST_CASE("CollectiveData: over a ring of leaders a rank has one part, and the parts of all ranks combine") {
  const CollectiveData data{
      machine(kDataRanks), over_ring(Collective::all_reduce, "ring_allreduce"), {.n_elem = 20}};
  CHECK(data.parts() == 1);
  CHECK(data.combined() == kDataRanks);
  CHECK(data.out_elems() == 20);
  for (int rank = 0; rank < kDataRanks; ++rank) CHECK(data.expected(rank, 0) == sum_of_inputs(data));
}

TEST_CASE("CollectiveData: over a mesh of cubes all parts of all ranks become one") {
  constexpr std::int64_t kElements = 10;
  const CollectiveData data{machine(kDataRanks), intercube(), {.n_elem = kElements}};
  CHECK(data.parts() == 2);
  CHECK(data.combined() == 2 * kDataRanks);
  const std::vector<double> parts = sum_of_inputs(data);
  std::vector<double> all;
  for (std::size_t i = 0; i < kElements; ++i) all.push_back(parts[i] + parts[kElements + i]);
  for (const int part : {0, 1}) CHECK(data.expected(1, part) == all);
}

TEST_CASE("CollectiveData: the inputs' reductions are exact in every dtype, and aren't trivial") {
  for (const DType dtype : {f16, DType::bf16, f32, DType::i8, DType::u8, DType::i32}) {
    for (const Reduction op : {Reduction::sum, Reduction::prod, Reduction::max, Reduction::min}) {
      CAPTURE(to_string(dtype));
      CAPTURE(to_string(op));
      const CollectiveData data{machine(8), intercube(), {.n_elem = 64, .dtype = dtype, .op = op}};
      const std::vector<double> expected = data.expected(0, 0);
      const double most = dtype == f16 ? 2048.0 : dtype == DType::bf16 ? 256.0 : 127.0;
      CHECK(
          std::ranges::all_of(expected, [&](double x) { return x == std::floor(x) && std::abs(x) <= most; }));
      const auto [least, largest] = std::ranges::minmax(expected);
      if (op != Reduction::max && op != Reduction::min) CHECK(least < largest);
    }
  }
}

TEST_CASE("CollectiveData: outputs of a collective that isn't in place have their own size") {
  const auto elements = [](Collective which, const char* kernel) {
    return CollectiveData{machine(kDataRanks), over_ring(which, kernel), {.n_elem = 12}}.out_elems();
  };
  CHECK(elements(Collective::all_gather, "ring_all_gather") == 36);
  CHECK(elements(Collective::reduce_scatter, "ring_reduce_scatter") == 4);
  CHECK(elements(Collective::all_to_all, "ring_all_to_all") == 12);
}

TEST_CASE("CollectiveData: a problem without values has inputs without numbers") {
  const CollectiveData data{machine(kDataRanks), intercube(), {.n_elem = 8, .values = false}};
  CHECK(!data.input(0).has_numbers());
}

TEST_CASE("memory_of: five copies of an all-reduce's tensors and its reference; nothing without values") {
  const CollectiveProblem problem{.n_elem = 1000, .dtype = f32};
  const config::AlgorithmSpec ring = over_ring(Collective::all_reduce, "ring_allreduce");
  CHECK(memory_of(machine(kDataRanks), ring, problem) ==
        Bytes{5 * kDataRanks * 1000 * 4 + 8 * (1000 + 1000)});
  CHECK(memory_of(machine(kDataRanks), ring, {.n_elem = 1000, .values = false}) == 0_B);
  const config::AlgorithmSpec gather = over_ring(Collective::all_gather, "ring_all_gather");
  CHECK(memory_of(machine(kDataRanks), gather, problem) ==
        Bytes{7 * kDataRanks * (1000 + 3000) * 4 / 2 + 8 * kDataRanks * 1000});
}

}  // namespace kbsim::evaluate::test::collective_data_test
