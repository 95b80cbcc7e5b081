// The kernels of attention over a line of ranks on the machine: values, sends, and PEs that do nothing.
#include <optional>

#include <doctest/doctest.h>

#include "kbsim/hw/control/i_queue_state.hpp"

#include "../host/program.hpp"
#include "attention_mesh.hpp"

namespace kbsim::test {
namespace {

using topology::DPPolicy;
using topology::Split;

struct TilesSent {
  std::int64_t west = 0;
  std::int64_t east = 0;
  friend bool operator==(const TilesSent&, const TilesSent&) = default;
};

struct AttentionOnMachine {
  Numbers out;
  std::map<PeCoord, TilesSent> sent;        // tiles, of all PEs
  std::map<PeCoord, std::size_t> commands;  // that have a result
  std::map<PeCoord, std::int64_t> served;   // by the engines
};

struct AttentionRun {
  const AttentionMesh* mesh;
  AttentionOnMachine* result;
};

// A row on each rank; and all of it on each PE of the ranks' cubes, or on each rank, if ranks are PEs.
DPPolicy rows_on_ranks(const AttentionMeshArgs& args) {
  if (args.rank_axis == 1) return {.cube = Split::row_wise, .num_cubes = args.ranks, .num_pes = 1};
  return {.pe = Split::row_wise, .num_cubes = 1, .num_pes = args.ranks};
}
DPPolicy of_queries(const AttentionMesh& mesh) {
  DPPolicy dp = rows_on_ranks(mesh.args);
  if (mesh.args.rank_axis == 1) dp.num_pes.reset();
  if (mesh.decodes()) dp.cube = dp.pe = Split::replicate;
  return dp;
}

host::HostArray as_matrix(const Array& array, std::int64_t rows) {
  const auto n = static_cast<std::int64_t>(array.numbers.size());
  return host::generate({rows, n / rows}, array.dtype,
                        [&](std::int64_t i) { return array.numbers[static_cast<std::size_t>(i)]; });
}

Task<> attend_on_machine(host::Rank& rk, AttentionRun run) {
  const AttentionMesh& mesh = *run.mesh;
  AttentionMeshArgs args = mesh.args;
  const DPPolicy rows = rows_on_ranks(args);
  co_await rk.dist.init_process_group({});
  host::HostArray contents = as_matrix(mesh.q(), mesh.parts_of_q());
  host::Tensor q = co_await rk.torch.from_host(contents, {.dp = of_queries(mesh)});
  contents = as_matrix(mesh.k(), args.ranks);
  host::Tensor k = co_await rk.torch.from_host(contents, {.dp = rows});
  contents = as_matrix(mesh.v(), args.ranks);
  host::Tensor v = co_await rk.torch.from_host(contents, {.dp = rows});
  host::Tensor o = co_await rk.torch.empty({args.ranks, mesh.elements_of_q()}, mesh.dtype, {.dp = rows});
  args.q = q.ptr();
  args.k = k.ptr();
  args.v = v.ptr();
  args.o = o.ptr();
  co_await rk.launch(mesh.kernel, q, args);
  const host::HostArray out = co_await o.to_host();
  run.result->out = out.to_doubles();
}

void look_at(host::Session& session, AttentionOnMachine& result) {
  const config::MachineSpec& spec = session.spec();
  hw::Machine& machine = session.machine();
  for (int cube = 0; cube < spec.cubes_per_sip(); ++cube) {
    for (int pe = 0; pe < spec.pes_per_cube(); ++pe) {
      const PeCoord at{.cube = cube, .pe = pe};
      const topology::PeNodes& nodes = machine.graph().pe(at);
      std::vector<QueueEnd> ends;
      machine.at<hw::IQueueState>(nodes.ipcq).add_ends(ends);
      for (const QueueEnd& end : ends)
        (end.direction == "E" ? result.sent[at].east : result.sent[at].west) += end.my_head;
      result.commands[at] = session.log().ops(machine.lane(at)).size();
      for (const NodeId unit : {nodes.gemm, nodes.math, nodes.dma}) {
        for (const hw::UnitUse& use : machine.component(unit).use()) result.served[at] += use.served;
      }
    }
  }
}

AttentionOnMachine on_machine(const AttentionMesh& mesh, std::optional<std::uint64_t> shuffle = {}) {
  AttentionOnMachine result;
  host::test::Program program{machine_of(mesh), line_of(mesh), {.shuffle_ties = shuffle}};
  program.run(attend_on_machine, AttentionRun{.mesh = &mesh, .result = &result});
  look_at(program.session, result);
  return result;
}

AttentionMesh small_mesh(const std::string& kernel, int ranks, int axis, bool causal) {
  return attention_mesh(kernel, {.ranks = ranks,
                                 .rank_axis = axis,
                                 .h_q = 4,
                                 .h_kv = 2,
                                 .d = 8,
                                 .s_q = 3,
                                 .s_kv = 10,
                                 .block_rows = 4,
                                 .block_keys = 4,
                                 .causal = causal});
}

PeCoord rank_at(const AttentionMeshArgs& args, int rank) {
  return args.rank_axis == 0 ? PeCoord{.pe = rank} : PeCoord{.cube = rank};
}

}  // namespace

TEST_CASE("attention_mesh on the machine: the mock's bits, on 1 to 8 ranks of either axis, causal or not") {
  for (const std::string& kernel : kAttentionMeshKernels) {
    for (const int ranks : {1, 2, 3, 8}) {
      for (const int axis : {0, 1}) {
        const AttentionMesh mesh = small_mesh(kernel, ranks, axis, ranks % 2 == 0);
        check_right(mesh);
        REQUIRE(on_machine(mesh).out == in_mock(mesh));
      }
    }
  }
}

TEST_CASE(
    "attention_mesh on the machine: one slot or many, in any order of simultaneous events, equal bits") {
  for (const std::string& kernel : kAttentionMeshKernels) {
    AttentionMesh mesh = small_mesh(kernel, 6, 0, true);
    const Numbers expected = in_mock(mesh);
    for (const int slots : {1, 2, 7}) {
      CAPTURE(kernel);
      CAPTURE(slots);
      mesh.slots = slots;
      CHECK(on_machine(mesh).out == expected);
      CHECK(on_machine(mesh, 17).out == expected);
    }
  }
}

// 3 blocks of 10 keys for 2 heads, keys and values; or 2 parts of 6 rows for 2 heads, m, l and o: sent once
// by their own rank and by each on the way.
TEST_CASE("attention_mesh: the west edge never sends W, the east edge never E, inner ranks send both ways") {
  for (const std::string& kernel : kAttentionMeshKernels) {
    const std::int64_t tiles = kernel == "attention_mesh_kv" ? 3 * 2 * 2 : 2 * 2 * 3;
    for (const int axis : {0, 1}) {
      for (const int ranks : {1, 2, 5, 8}) {
        const AttentionMesh mesh = small_mesh(kernel, ranks, axis, false);
        const AttentionOnMachine run = on_machine(mesh);
        for (int rank = 0; rank < ranks; ++rank) {
          CAPTURE(kernel);
          CAPTURE(axis);
          CAPTURE(rank);
          const std::int64_t west = rank > 0 ? tiles * (ranks - rank) : 0;
          const std::int64_t east = rank + 1 < ranks ? tiles * (rank + 1) : 0;
          const auto sent = run.sent.find(rank_at(mesh.args, rank));
          CHECK((sent == run.sent.end() ? TilesSent{} : sent->second) ==
                TilesSent{.west = west, .east = east});
        }
      }
    }
  }
}

TEST_CASE("attention_mesh: PEs that aren't ranks issue nothing") {
  for (const std::string& kernel : kAttentionMeshKernels) {
    for (const int axis : {0, 1}) {
      const AttentionMesh mesh = small_mesh(kernel, 3, axis, true);
      const AttentionOnMachine run = on_machine(mesh);
      for (const auto& [at, commands] : run.commands) {
        const int rank = axis == 0 ? at.pe : at.cube;
        const bool is_rank = rank < 3 && (axis == 0 || at.pe == 0);
        CAPTURE(kernel);
        CAPTURE(to_string(at));
        CHECK((commands > 0) == is_rank);
        CHECK((run.served.at(at) > 0) == is_rank);
        const auto sent = run.sent.find(at);
        if (!is_rank && sent != run.sent.end()) CHECK(sent->second == TilesSent{});
      }
    }
  }
}

}  // namespace kbsim::test
