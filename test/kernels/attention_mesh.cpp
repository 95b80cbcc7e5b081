#include "attention_mesh.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/mock/mock_wiring.hpp"
#include "kbsim/replay/reference.hpp"

#include "../host/program.hpp"

namespace kbsim::test {
namespace {

// A tensor [ranks, heads, rows, d] as one whose ranks' rows follow each other: [heads, ranks * rows, d].
Numbers joined(const Numbers& parts, std::int64_t ranks, std::int64_t heads, std::int64_t row) {
  Numbers whole;
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const auto from = parts.begin() + (rank * heads + head) * row;
      whole.insert(whole.end(), from, from + row);
    }
  }
  return whole;
}

double largest_error(const Numbers& actual, const Numbers& expected) {
  REQUIRE(actual.size() == expected.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    REQUIRE(!std::isnan(actual[i]));
    largest = std::max(largest, std::abs(actual[i] - expected[i]));
  }
  return largest;
}

}  // namespace

AttentionMesh attention_mesh(const std::string& kernel, const AttentionMeshArgs& args) {
  AttentionMesh mesh{.kernel = kernel, .args = args};
  mesh.args.scale = 1.0 / std::sqrt(static_cast<double>(args.d));
  return mesh;
}

config::MachineSpec machine_of(const AttentionMesh& mesh) {
  if (mesh.args.rank_axis == 1) return host::test::machine(1, 4, 2);
  config::MachineSpec machine;
  machine.system.sips.count = 1;
  machine.sip.cube_mesh = {.w = 1, .h = 1};
  return machine;
}

config::AlgorithmSpec line_of(const AttentionMesh& mesh) {
  config::AlgorithmSpec line;
  line.name = line.kernel = mesh.kernel;
  line.topology = mesh.args.rank_axis == 0 ? "line_of_pes" : "line_of_cubes";
  line.mapper = mesh.args.rank_axis == 0 ? "all_pes" : "cube_leaders";
  line.n_slots = mesh.slots;
  return line;
}

Numbers expected(const AttentionMesh& mesh) {
  const AttentionMeshArgs& a = mesh.args;
  const std::int64_t queries = mesh.parts_of_q() * a.s_q;
  const Numbers whole = replay::attention(joined(mesh.q().numbers, mesh.parts_of_q(), a.h_q, a.s_q * a.d),
                                          joined(mesh.k().numbers, a.ranks, a.h_kv, a.s_kv * a.d),
                                          joined(mesh.v().numbers, a.ranks, a.h_kv, a.s_kv * a.d),
                                          {.h_q = a.h_q,
                                           .h_kv = a.h_kv,
                                           .s_q = queries,
                                           .s_kv = a.ranks * a.s_kv,
                                           .d = a.d,
                                           .scale = a.scale,
                                           .causal = a.causal});
  // Heads and ranks change places again: or all ranks have the same.
  if (!mesh.decodes()) return joined(whole, a.h_q, a.ranks, a.s_q * a.d);
  Numbers all;
  for (int rank = 0; rank < a.ranks; ++rank) all.insert(all.end(), whole.begin(), whole.end());
  return all;
}

Numbers in_mock(const AttentionMesh& mesh) {
  mock::World world{mock::like(machine_of(mesh), line_of(mesh))};
  AttentionMeshArgs args = mesh.args;
  args.q = world.alloc(0, mesh.q().numbers, mesh.dtype);
  args.k = world.alloc(0, mesh.k().numbers, mesh.dtype);
  args.v = world.alloc(0, mesh.v().numbers, mesh.dtype);
  args.o = world.alloc(0, args.ranks * mesh.elements_of_q(), mesh.dtype);
  world.run(mesh.kernel, args);
  return world.read(0, args.o, args.ranks * mesh.elements_of_q());
}

void check_right(const AttentionMesh& mesh, double tolerance) {
  CAPTURE(mesh.kernel);
  CAPTURE(mesh.args.ranks);
  CAPTURE(mesh.args.rank_axis);
  CAPTURE(mesh.args.h_q);
  CAPTURE(mesh.args.h_kv);
  CAPTURE(mesh.args.s_q);
  CAPTURE(mesh.args.s_kv);
  CAPTURE(mesh.args.causal);
  CAPTURE(mesh.slots);
  REQUIRE(largest_error(in_mock(mesh), expected(mesh)) <= tolerance);
}

TEST_CASE("attention_mesh: equals plain attention on 1 to 8 ranks of either axis, causal or not") {
  for (const std::string& kernel : kAttentionMeshKernels) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
      for (const int axis : {0, 1}) {
        for (const bool causal : {false, true}) {
          check_right(attention_mesh(kernel, {.ranks = ranks,
                                              .rank_axis = axis,
                                              .h_q = 4,
                                              .h_kv = 2,
                                              .d = 8,
                                              .s_q = 5,
                                              .s_kv = 9,
                                              .block_rows = 4,
                                              .block_keys = 4,
                                              .causal = causal}));
        }
      }
    }
  }
}

TEST_CASE("attention_mesh: equals plain attention for any heads, queries, keys and blocks") {
  struct Sizes {
    std::int64_t h_q, h_kv, d, s_q, s_kv, block;
  };
  for (const Sizes s : {Sizes{1, 1, 1, 1, 1, 32},
                        {8, 1, 16, 1, 33, 32},
                        {8, 2, 7, 3, 17, 5},
                        {6, 3, 64, 16, 16, 16},
                        {4, 4, 32, 32, 70, 32},
                        {3, 1, 5, 40, 40, 7}}) {
    for (const std::string& kernel : kAttentionMeshKernels) {
      for (const bool causal : {false, true}) {
        CAPTURE(s.block);
        check_right(attention_mesh(kernel, {.ranks = 3,
                                            .h_q = s.h_q,
                                            .h_kv = s.h_kv,
                                            .d = s.d,
                                            .s_q = s.s_q,
                                            .s_kv = s.s_kv,
                                            .block_rows = std::min<std::int64_t>(s.block, 1024 / s.d),
                                            .block_keys = std::min<std::int64_t>(s.block, 1024 / s.d),
                                            .causal = causal}));
      }
    }
  }
}

TEST_CASE("attention_mesh: more queries than a rank has keys, if all ranks have them, when decoding") {
  check_right(
      attention_mesh("attention_mesh_mlo", {.ranks = 8, .d = 4, .s_q = 8, .s_kv = 1, .causal = true}));
}

TEST_CASE("attention_mesh: right with any number of slots, and in f16 and bf16 as well as these can") {
  for (const std::string& kernel : kAttentionMeshKernels) {
    AttentionMesh mesh = attention_mesh(kernel, {.ranks = 6,
                                                 .h_q = 4,
                                                 .h_kv = 2,
                                                 .d = 16,
                                                 .s_q = 12,
                                                 .s_kv = 40,
                                                 .block_rows = 8,
                                                 .block_keys = 8,
                                                 .causal = true});
    for (const int slots : {1, 2, 3, 5}) {
      mesh.slots = slots;
      check_right(mesh);
    }
    mesh.dtype = f16;
    check_right(mesh, 4e-3);
    mesh.dtype = DType::bf16;
    check_right(mesh, 3e-2);
  }
}

TEST_CASE("attention_mesh: heads that don't divide, and queries before the first key, are refused") {
  for (const std::string& kernel : kAttentionMeshKernels) {
    CHECK_THROWS_WITH_AS(
        (void)in_mock(attention_mesh(kernel, {.ranks = 2, .h_q = 3, .h_kv = 2, .d = 4, .s_q = 1, .s_kv = 4})),
        doctest::Contains("h_q isn't a multiple of h_kv"), Error);
    CHECK_THROWS_WITH_AS(
        (void)in_mock(attention_mesh(kernel, {.ranks = 2, .d = 4, .s_q = 9, .s_kv = 4, .causal = true})),
        doctest::Contains("causal attention has more queries than keys"), Error);
  }
}

}  // namespace kbsim::test
