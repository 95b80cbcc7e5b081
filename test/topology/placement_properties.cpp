#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <span>

#include <doctest/doctest.h>

#include "kbsim/topology/placement.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

constexpr std::array kSplits{Split::replicate, Split::row_wise, Split::column_wise, Split::tiled_row_major,
                             Split::tiled_column_major};

struct Case {
  DPPolicy policy;
  Shape shape;
  int itemsize;
  int num_pe;
  int num_cubes;

  std::vector<ShardSpec> resolve(int sip = 0) const {
    return resolve_dp_policy(policy, shape, itemsize, num_pe, num_cubes, sip);
  }
  std::size_t bytes() const { return static_cast<std::size_t>(shape.elements() * itemsize); }
};

Shape random_shape(std::mt19937& random) {
  const auto extent = [&] { return 1 + static_cast<int>(random() % 6); };
  switch (random() % 6) {
    case 0: return {};
    case 1: return {1 + static_cast<int>(random() % 70)};
    case 2: return {1 + static_cast<int>(random() % 40), 1 + static_cast<int>(random() % 40)};
    case 3: return {extent(), extent(), extent()};
    case 4: return {extent(), extent(), extent(), extent()};
    default: return {extent(), extent(), 2, extent(), extent()};
  }
}

Case random_case(unsigned seed) {
  std::mt19937 random{seed};
  const auto up_to = [&](int n) { return 1 + static_cast<int>(random() % static_cast<unsigned>(n)); };
  Case c{.shape = random_shape(random),
         .itemsize = 1 << random() % 4,
         .num_pe = up_to(16),
         .num_cubes = up_to(32)};
  c.policy.cube = kSplits[seed % 5];
  c.policy.pe = kSplits[seed / 5 % 5];
  c.policy.tile = {.rows = up_to(8), .cols = up_to(8)};
  if (random() % 2 == 0) c.policy.num_pes = up_to(c.num_pe);
  if (random() % 2 == 0) c.policy.num_cubes = up_to(c.num_cubes);
  return c;
}

template <class Check>
void for_random_cases(Check check) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    const Case c = random_case(seed);
    CAPTURE(seed);
    CAPTURE(to_string(c.shape));
    check(c);
  }
}

/// The copy of the tensor that a shard is part of; each unit of a replicated level has its own.
PeCoord replica(const Case& c, const ShardSpec& s) {
  return {.sip = 0,
          .cube = c.policy.cube == Split::replicate ? s.at.cube : -1,
          .pe = c.policy.pe == Split::replicate ? s.at.pe : -1};
}

}  // namespace

TEST_CASE("resolve_dp_policy: each copy holds every element exactly once") {
  for_random_cases([](const Case& c) {
    std::map<PeCoord, std::vector<int>> held;
    for (const ShardSpec& s : c.resolve()) {
      auto& count = held.try_emplace(replica(c, s), c.shape.elements()).first->second;
      for (std::int64_t r = s.block.row0; r < s.block.row0 + s.block.rows; ++r) {
        for (std::int64_t k = s.block.col0; k < s.block.col0 + s.block.cols; ++k)
          ++count.at(static_cast<std::size_t>(r * s.tensor_cols + k));
      }
    }
    const int cubes = c.policy.cube == Split::replicate ? c.policy.num_cubes.value_or(c.num_cubes) : 1;
    const int pes = c.policy.pe == Split::replicate ? c.policy.num_pes.value_or(c.num_pe) : 1;
    CHECK(held.size() == static_cast<std::size_t>(cubes * pes));
    for (const auto& [copy, count] : held) CHECK(std::ranges::count(count, 1) == c.shape.elements());
  });
}

TEST_CASE("resolve_dp_policy: shards fill the tensor's virtual range without gap or overlap") {
  for_random_cases([](const Case& c) {
    std::set<std::pair<std::int64_t, std::int64_t>> ranges;  // copies fall together
    for (const ShardSpec& s : c.resolve()) {
      CHECK(s.nbytes.count() == s.block.elements() * c.itemsize);
      ranges.emplace(s.offset_bytes, s.offset_bytes + s.nbytes.count());
    }
    std::int64_t end = 0;
    for (const auto& [first, last] : ranges) {
      CHECK(first == end);
      end = last;
    }
    CHECK(end == static_cast<std::int64_t>(c.bytes()));
  });
}

TEST_CASE("resolve_dp_policy: shards are in the order of their coordinates, inside the machine") {
  for_random_cases([](const Case& c) {
    const auto shards = c.resolve();
    CHECK(std::ranges::is_sorted(shards, {}, &ShardSpec::at));
    for (const ShardSpec& s : shards) {
      CHECK(s.at.cube < c.policy.num_cubes.value_or(c.num_cubes));
      CHECK(s.at.pe < c.policy.num_pes.value_or(c.num_pe));
      CHECK(s.block.elements() > 0);
    }
  });
}

TEST_CASE("resolve_dp_policy: the PEs' parts of a split differ by one row or column, the first the larger") {
  const auto check_even = [](Case c, Split split, std::int64_t Block::* length) {
    c.policy.cube = Split::replicate;
    c.policy.pe = split;
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(c.policy.num_pes.value_or(c.num_pe)));
    for (const ShardSpec& s : c.resolve()) lengths[static_cast<std::size_t>(s.at.pe)] = s.block.*length;
    CHECK(std::ranges::is_sorted(lengths, std::greater{}));
    CHECK(lengths.front() - lengths.back() <= 1);
  };
  for_random_cases([&](const Case& c) {
    check_even(c, Split::row_wise, &Block::rows);
    check_even(c, Split::column_wise, &Block::cols);
  });
}

TEST_CASE("resolve_dp_policy: two SIPs' results differ in sip alone") {
  for_random_cases([](const Case& c) {
    auto moved = c.resolve(200);
    for (ShardSpec& s : moved) {
      CHECK(s.at.sip == 200);
      s.at.sip = 0;
    }
    CHECK(moved == c.resolve(0));
  });
}

TEST_CASE("scatter, gather: the round trip is the identity") {
  for_random_cases([](const Case& c) {
    std::mt19937 random{7};
    std::vector<std::byte> tensor(c.bytes());
    std::ranges::generate(tensor, [&] { return static_cast<std::byte>(random()); });
    std::vector<std::byte> back(c.bytes());
    std::vector<std::byte> virtual_range(c.bytes());
    for (const ShardSpec& s : c.resolve()) {
      const auto part = scatter(tensor, s);
      std::ranges::copy(part, virtual_range.begin() + s.offset_bytes);
    }
    for (const ShardSpec& s : c.resolve()) {
      gather(std::span{virtual_range}.subspan(s.offset_bytes, s.nbytes.count()), s, back);
    }
    CHECK(back == tensor);
  });
}
