// all_to_all_single with split sizes, and all_to_all with lists, against their definitions.
#include <functional>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/base/random.hpp"
#include "kbsim/host/host_array.hpp"

#include "program.hpp"

namespace kbsim::host::test::uneven_all_to_all {
namespace {

using Sizes = std::vector<std::int64_t>;

struct Problem {
  std::vector<Sizes> rows;  // from rank i to rank j
  std::int64_t width = 3;
  topology::DPPolicy dp = kOnePe;
  DType dtype = f32;
  std::vector<int> members = {};  // of a group; empty: all ranks
  bool as_lists = false;
};

std::int64_t sum(const Sizes& sizes) { return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}); }

Sizes received_by(const Problem& problem, std::size_t rank) {
  Sizes sizes;
  for (const Sizes& from : problem.rows) sizes.push_back(from[rank]);
  return sizes;
}

// Row `row` of the part that rank `from` sends to rank `to`; small enough for f16.
double element(std::size_t from, std::size_t to, std::int64_t row, std::int64_t column) {
  return static_cast<double>(400 * from + 90 * to) + static_cast<double>(10 * row + column);
}

std::vector<double> part(const Problem& problem, std::size_t from, std::size_t to) {
  std::vector<double> values;
  for (std::int64_t row = 0; row < problem.rows[from][to]; ++row) {
    for (std::int64_t column = 0; column < problem.width; ++column)
      values.push_back(element(from, to, row, column));
  }
  return values;
}

std::vector<double> joined(const Problem& problem,
                           const std::function<std::vector<double>(std::size_t)>& of) {
  std::vector<double> all;
  for (std::size_t i = 0; i < problem.rows.size(); ++i) std::ranges::copy(of(i), std::back_inserter(all));
  return all;
}

HostArray array_of(const Shape& shape, DType dtype, std::vector<double> values) {
  return generate(shape, dtype, [values = std::move(values)](std::int64_t i) {
    return values[static_cast<std::size_t>(i)];
  });
}

Task<> exchanges_parts(Rank& rk, Problem problem) {
  Group group;
  if (!problem.members.empty()) {
    const Group made = co_await rk.dist.new_group(problem.members);
    group = made;
    if (rk.dist.get_rank(group) < 0) co_return;
  }
  const auto rank = static_cast<std::size_t>(rk.dist.get_rank(group));
  const Sizes sent = problem.rows[rank];
  const Sizes received = received_by(problem, rank);
  const std::vector<double> mine = joined(problem, [&](std::size_t to) { return part(problem, rank, to); });
  // A rank without any rows has a tensor of one, which stays.
  const bool sends = sum(sent) > 0;
  const bool receives = sum(received) > 0;
  const HostArray array = sends ? array_of({sum(sent), problem.width}, problem.dtype, mine)
                                : full({1, problem.width}, 7, problem.dtype);
  const Tensor x = co_await rk.torch.from_host(array, {.dp = problem.dp, .name = "x"});
  const Tensor y = co_await rk.torch.full({std::max<std::int64_t>(sum(received), 1), problem.width}, 7,
                                          problem.dtype, {.dp = problem.dp});
  co_await rk.dist.all_to_all_single(y, x, {received, sent, "", group});
  const HostArray read = co_await y.to_host();
  const auto expected = receives
                            ? joined(problem, [&](std::size_t from) { return part(problem, from, rank); })
                            : std::vector<double>(static_cast<std::size_t>(problem.width), 7);
  CHECK(read.to_doubles() == expected);
}

// Each part is a tensor of its own; none is empty.
Task<> exchanges_lists(Rank& rk, Problem problem) {
  const auto rank = static_cast<std::size_t>(rk.index);
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  for (std::size_t peer = 0; peer < problem.rows.size(); ++peer) {
    const HostArray array =
        array_of({problem.rows[rank][peer], problem.width}, problem.dtype, part(problem, rank, peer));
    const Tensor x = co_await rk.torch.from_host(array, {.dp = problem.dp});
    const Tensor y =
        co_await rk.torch.zeros({problem.rows[peer][rank], problem.width}, problem.dtype, {.dp = problem.dp});
    inputs.push_back(x);
    outputs.push_back(y);
  }
  co_await rk.dist.all_to_all(outputs, inputs);
  for (std::size_t peer = 0; peer < outputs.size(); ++peer) {
    const HostArray read = co_await outputs[peer].to_host();
    CHECK(read.to_doubles() == part(problem, peer, rank));
  }
}

struct Job {
  Task<> (*worker)(Rank&, Problem) = nullptr;
  Problem problem = {};
};

Task<> on_all(Rank& main, Job job) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(job.worker, job.problem, {.nprocs = main.dist.get_world_size()});
  co_await main.dist.destroy_process_group();
}

std::vector<Sizes> drawn_rows(Random& random, std::size_t ranks, bool with_zeros) {
  const Sizes choices = with_zeros ? Sizes{0, 0, 1, 2, 5} : Sizes{1, 2, 3, 6};
  std::vector<Sizes> rows(ranks, Sizes(ranks));
  for (Sizes& from : rows) {
    for (std::int64_t& size : from) size = choices[random.below(choices.size())];
  }
  // Often a rank sends or receives nothing, as an expert without a token.
  if (with_zeros && random.below(3) == 0) rows[random.below(ranks)] = Sizes(ranks, 0);
  if (with_zeros && random.below(3) == 0) {
    const std::size_t idle = random.below(ranks);
    for (Sizes& from : rows) from[idle] = 0;
  }
  return rows;
}

std::string error_of(Task<> (*worker)(Rank&, Problem), ExitCode exit, Problem problem = {}) {
  return Program{}.error(on_all, {.worker = worker, .problem = std::move(problem)}, exit);
}

Task<> with_splits(Rank& rk, Sizes received, Sizes sent, std::string algorithm = "") {
  const Tensor x = co_await rk.torch.zeros({4, 2}, f32, {.dp = kOnePe});
  const Tensor y = co_await rk.torch.zeros({4, 2}, f32, {.dp = kOnePe});
  co_await rk.dist.all_to_all_single(y, x, {std::move(received), std::move(sent), std::move(algorithm)});
}
Task<> too_few_splits(Rank& rk, Problem) { co_await with_splits(rk, {4}, {}); }
Task<> negative_split(Rank& rk, Problem) { co_await with_splits(rk, {}, {5, -1}); }
Task<> splits_of_other_size(Rank& rk, Problem) { co_await with_splits(rk, {1, 2}, {}); }
Task<> splits_by_algorithm(Rank& rk, Problem) { co_await with_splits(rk, {2, 2}, {}, "ring_all_to_all"); }
Task<> peers_disagree(Rank& rk, Problem) {
  co_await with_splits(rk, rk.index == 0 ? Sizes{2, 2} : Sizes{3, 1},
                       rk.index == 0 ? Sizes{2, 2} : Sizes{3, 1});
}
Task<> own_part_differs(Rank& rk, Problem) { co_await with_splits(rk, {1, 3}, {2, 2}); }
Task<> one_rank_lacks_a_list(Rank& rk, Problem) {
  const Tensor x = co_await rk.torch.zeros({2, 2}, f32, {.dp = kOnePe});
  const Tensor y = co_await rk.torch.zeros({2, 2}, f32, {.dp = kOnePe});
  co_await rk.dist.all_to_all({y}, {x, x});
}
Task<> parts_are_divided(Rank& rk, Problem) {
  const topology::DPPolicy columns{.cube = topology::Split::column_wise, .num_pes = 1};
  const Tensor x = co_await rk.torch.zeros({4, 8}, f32, {.dp = columns});
  const Tensor y = co_await rk.torch.zeros({4, 8}, f32, {.dp = columns});
  co_await rk.dist.all_to_all_single(y, x, {{1, 3}, {1, 3}});
}
Task<> overlaps(Rank& rk, Problem) {
  const Tensor x = co_await rk.torch.zeros({6, 2}, f32, {.dp = kOnePe});
  co_await rk.dist.all_to_all_single(x.slice(0, {0, 4}), x.slice(0, {2, 6}), {{1, 3}, {1, 3}});
}

}  // namespace

TEST_CASE("all_to_all_single: random split sizes with zeros, any number of ranks, placement and dtype") {
  Random random{7, 1};
  const std::vector<topology::DPPolicy> placements{kOnePe, {.num_pes = 1}, {.num_cubes = 2, .num_pes = 2}};
  for (int draw = 0; draw < 40; ++draw) {
    CAPTURE(draw);
    const std::size_t ranks = 1 + random.below(4);
    const Problem problem{.rows = drawn_rows(random, ranks, true),
                          .width = 1 + static_cast<std::int64_t>(random.below(5)),
                          .dp = placements[random.below(placements.size())],
                          .dtype = std::vector{f32, f16, i32}[random.below(3)]};
    Program{machine(static_cast<int>(ranks))}.run(on_all, {.worker = exchanges_parts, .problem = problem});
  }
}

TEST_CASE("all_to_all_single: split sizes in a group, and in any order of simultaneous events") {
  Random random{8, 1};
  const Problem problem{.rows = drawn_rows(random, 2, true), .members = {0, 2}};
  Program{machine(3)}.run(on_all, {.worker = exchanges_parts, .problem = problem});
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    Program{machine(3), allreduce(), {.shuffle_ties = seed}}.run(
        on_all, {.worker = exchanges_parts, .problem = problem});
}

TEST_CASE("all_to_all_single: parts larger than all slots of a queue") {
  const Problem problem{.rows = {{1, 9000}, {7000, 2}}, .width = 2};
  Program{}.run(on_all, {.worker = exchanges_parts, .problem = problem});
}

TEST_CASE("all_to_all: tensors of any shapes") {
  Random random{9, 1};
  for (int draw = 0; draw < 10; ++draw) {
    CAPTURE(draw);
    const std::size_t ranks = 1 + random.below(4);
    Program{machine(static_cast<int>(ranks))}.run(
        on_all, {.worker = exchanges_lists, .problem = {.rows = drawn_rows(random, ranks, false)}});
  }
}

TEST_CASE("all_to_all_single: what can't be is refused at the call, in PyTorch's words") {
  const auto refused = [](Task<> (*worker)(Rank&, Problem), const std::string& words, ExitCode exit) {
    const std::string text = error_of(worker, exit);
    CAPTURE(text);
    CHECK_MESSAGE(text.find(words) != std::string::npos, words);
  };
  refused(too_few_splits, "Number of tensor splits not equal to group size", ExitCode::usage);
  refused(negative_split, "a split size is negative", ExitCode::usage);
  refused(splits_of_other_size, "Split sizes doesn't match total dim 0 size, 4", ExitCode::usage);
  refused(splits_by_algorithm, "split sizes need no algorithm", ExitCode::usage);
  refused(own_part_differs, "this rank sends itself [", ExitCode::usage);
  refused(one_rank_lacks_a_list, "must match number of collective participants", ExitCode::usage);
  refused(parts_are_divided, "is split over PEs: split sizes need all of it on each of its PEs",
          ExitCode::usage);
  refused(overlaps, "all_to_all_single", ExitCode::usage);
  refused(peers_disagree, "Detected mismatch between send and recv: rank ", ExitCode::deadlock);
}

}  // namespace kbsim::host::test::uneven_all_to_all
