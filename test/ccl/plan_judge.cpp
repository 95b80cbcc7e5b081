// The outputs that each collective's definition asks of a plan.
#include <array>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/ccl/plan_check.hpp"

namespace kbsim::ccl::test::plan_judge_test {
namespace {

using config::Collective;

constexpr int kRanks = 3;
constexpr int kShare = 2;  // chunks of a rank's share
constexpr int kChunks = kRanks * kShare;

struct Source {
  int rank;
  int chunk;
  friend bool operator==(const Source&, const Source&) = default;
};
// The input chunks whose sum is to be a chunk of a rank's output.
using Sources = std::vector<Source>;
using Outputs = std::function<Sources(int rank, int chunk)>;

Sources of_all(int chunk) { return {{0, chunk}, {1, chunk}, {2, chunk}}; }

struct Case {
  Collective collective;
  int outputs;  // chunks of a rank's output
  Outputs wanted;
};

// The output of a reduce-scatter is the rank's own share of all inputs; of an all-gather, the next rank's. In
// an all-to-all, part r of rank s goes to part s of rank r; in a sendrecv, a part comes from the rank before.
const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {Collective::all_reduce, kChunks, [](int, int chunk) { return of_all(chunk); }},
      {Collective::reduce, kChunks,
       [](int rank, int chunk) { return rank == 0 ? of_all(chunk) : Sources{}; }},
      {Collective::all_gather, kChunks,
       [](int, int chunk) { return Sources{{chunk / kShare, chunk % kShare}}; }},
      {Collective::reduce_scatter, kShare, [](int rank, int chunk) { return of_all(rank * kShare + chunk); }},
      {Collective::broadcast, kChunks, [](int, int chunk) { return Sources{{0, chunk}}; }},
      {Collective::all_to_all, kChunks,
       [](int rank, int chunk) { return Sources{{chunk / kShare, rank * kShare + chunk % kShare}}; }},
      {Collective::sendrecv, kChunks,
       [](int rank, int chunk) { return Sources{{(rank + kRanks - 1) % kRanks, chunk}}; }},
  };
  return kCases;
}

PlanChunk input(int index) { return {PlanBuffer::input, index}; }
PlanChunk output(int index) { return {PlanBuffer::output, index}; }

// A plan in which each rank sends each input chunk directly to the ranks that need it. One thread block
// copies the rank's own chunks; then one per other rank adds the chunks received from that rank, one after
// the other.
Plan direct(const Case& it, const Outputs& wanted) {
  Plan plan{.name = "direct", .collective = it.collective, .in_place = false, .chunks = kChunks};
  plan.scratch_chunks.assign(kRanks, 0);
  for (int rank = 0; rank < kRanks; ++rank) {
    std::set<int> written;
    PlanBlock own{.id = 0};
    own.steps.push_back({.op = PlanOp::nop});
    for (int chunk = 0; chunk < it.outputs; ++chunk) {
      for (const Source& from : wanted(rank, chunk)) {
        if (from.rank != rank) continue;
        own.steps.push_back({.op = PlanOp::copy, .src = input(from.chunk), .dst = output(chunk), .count = 1});
        written.insert(chunk);
      }
    }
    std::vector<PlanBlock> blocks{own};
    for (int peer = 0; peer < kRanks; ++peer) {
      if (peer == rank) continue;
      PlanBlock block{.id = static_cast<int>(blocks.size()), .send = peer, .recv = peer};
      for (int chunk = 0; chunk < it.outputs; ++chunk) {
        for (const Source& from : wanted(peer, chunk)) {
          if (from.rank == rank)
            block.steps.push_back({.op = PlanOp::send, .src = input(from.chunk), .count = 1});
        }
      }
      block.steps.push_back({.op = PlanOp::nop,
                             .after_block = block.id - 1,
                             .after_step = static_cast<int>(blocks.back().steps.size()) - 1});
      for (int chunk = 0; chunk < it.outputs; ++chunk) {
        for (const Source& from : wanted(rank, chunk)) {
          if (from.rank != peer) continue;
          const bool adds = !written.insert(chunk).second;
          block.steps.push_back({.op = adds ? PlanOp::recv_reduce_copy : PlanOp::recv,
                                 .src = output(chunk),
                                 .dst = output(chunk),
                                 .count = 1});
        }
      }
      blocks.push_back(std::move(block));
    }
    plan.blocks.push_back(std::move(blocks));
  }
  mark_awaited(plan);
  return plan;
}

// Equal to `wanted`, but one chunk of one rank has another chunk of its first source's rank.
Outputs but_for(const Outputs& wanted, int rank, int chunk) {
  return [=](int of_rank, int of_chunk) {
    Sources all = wanted(of_rank, of_chunk);
    if (of_rank == rank && of_chunk == chunk && !all.empty()) all[0].chunk ^= 1;
    return all;
  };
}

}  // namespace

TEST_CASE("judge: a plan that makes just what its collective is defined to make is right") {
  for (const Case& it : cases()) {
    CAPTURE(to_string(it.collective));
    const Plan plan = direct(it, it.wanted);
    const PlanJudgement found = judge(plan);
    CHECK(found.right());
    CHECK(found.problems.empty());
    const auto outputs = outputs_of(plan);
    for (int rank = 0; rank < kRanks; ++rank) {
      for (int chunk = 0; chunk < it.outputs; ++chunk) {
        Sources held;
        if (const PlanSum& sum = outputs[static_cast<std::size_t>(rank)][static_cast<std::size_t>(chunk)]) {
          for (const Contribution& part : *sum) held.push_back({part.rank, part.chunk});
        }
        CHECK(held == it.wanted(rank, chunk));
      }
    }
  }
}

TEST_CASE("judge: of each collective, a single chunk that is another's is found at its rank") {
  for (const Case& it : cases()) {
    CAPTURE(to_string(it.collective));
    for (int rank = 0; rank < kRanks; ++rank) {
      for (int chunk = 0; chunk < it.outputs; ++chunk) {
        const Sources right = it.wanted(rank, chunk);
        if (right.empty()) continue;
        const PlanJudgement found = judge(direct(it, but_for(it.wanted, rank, chunk)));
        CHECK(found.wrong == 1);
        const std::string expected = "chunk " + std::to_string(chunk) + " of rank " + std::to_string(rank) +
                                     "'s output lacks chunk " + std::to_string(right[0].chunk) + " of rank " +
                                     std::to_string(right[0].rank);
        CHECK(found.problems == std::vector{expected});
      }
    }
  }
}

}  // namespace kbsim::ccl::test::plan_judge_test
