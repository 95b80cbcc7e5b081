#include "kbsim/evaluate/attention_run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/random.hpp"
#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/evaluate/covered.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/kernels/attention_mesh.hpp"
#include "kbsim/replay/reference.hpp"

namespace kbsim::evaluate {
namespace {

using topology::DPPolicy;
using topology::Split;

// Tolerance for a row of rounded weights, half an ulp of f16 each, and for the result.
constexpr replay::Tolerance kRounded{.abs = 8e-4};

struct Placed {
  Shape shape;
  DPPolicy dp;
};

// One row per rank. Q, on which the kernel is launched, is on all PEs of the ranks' cubes; in decode all have
// the same Q.
struct Placements {
  explicit Placements(const AttentionProblem& problem) {
    const AttentionMeshArgs& mesh = problem.mesh;
    DPPolicy rows{.pe = Split::row_wise, .num_cubes = 1, .num_pes = mesh.ranks};
    if (mesh.rank_axis == 1) rows = {.cube = Split::row_wise, .num_cubes = mesh.ranks, .num_pes = 1};
    kv = {.shape = {mesh.ranks, mesh.h_kv * mesh.s_kv * mesh.d}, .dp = rows};
    q = o = {.shape = {mesh.ranks, mesh.h_q * mesh.s_q * mesh.d}, .dp = rows};
    if (mesh.rank_axis == 1) q.dp.num_pes.reset();
    if (!problem.decode) return;
    q.shape = {1, mesh.h_q * mesh.s_q * mesh.d};
    q.dp.cube = q.dp.pe = Split::replicate;
  }
  Placed q, kv, o;
};

host::HostArray random_numbers(const Shape& shape, std::uint64_t seed) {
  Random random{seed};
  return host::generate(shape, f16, [&](std::int64_t) { return 2.0 * random.uniform() - 1.0; });
}

// [a, b, row] as [b, a, row]: from the order by rank to the order by head, and back.
std::vector<double> exchanged(const std::vector<double>& from, std::int64_t a, std::int64_t b,
                              std::int64_t row) {
  std::vector<double> to(from.size());
  for (std::int64_t i = 0; i < a; ++i) {
    for (std::int64_t j = 0; j < b; ++j)
      std::copy_n(from.begin() + (i * b + j) * row, row, to.begin() + (j * a + i) * row);
  }
  return to;
}

// O, rank after rank.
std::vector<double> expected(const AttentionProblem& problem, const host::HostArray& q,
                             const host::HostArray& k, const host::HostArray& v) {
  const AttentionMeshArgs& mesh = problem.mesh;
  const std::int64_t parts = problem.decode ? 1 : mesh.ranks;
  const std::int64_t q_row = mesh.s_q * mesh.d;
  const std::int64_t kv_row = mesh.s_kv * mesh.d;
  const std::vector<double> whole =
      replay::attention(exchanged(q.to_doubles(), parts, mesh.h_q, q_row),
                        exchanged(k.to_doubles(), mesh.ranks, mesh.h_kv, kv_row),
                        exchanged(v.to_doubles(), mesh.ranks, mesh.h_kv, kv_row),
                        {.h_q = mesh.h_q,
                         .h_kv = mesh.h_kv,
                         .s_q = parts * mesh.s_q,
                         .s_kv = mesh.ranks * mesh.s_kv,
                         .d = mesh.d,
                         .scale = mesh.scale,
                         .causal = mesh.causal});
  if (!problem.decode) return exchanged(whole, mesh.h_q, mesh.ranks, q_row);
  std::vector<double> of_all;
  for (int rank = 0; rank < mesh.ranks; ++rank) of_all.insert(of_all.end(), whole.begin(), whole.end());
  return of_all;
}

// A message fills a slot: rows of f32 partial outputs, or of f16 keys.
AttentionMeshArgs complete(AttentionMeshArgs mesh, Bytes slot) {
  mesh.scale = 1.0 / std::sqrt(static_cast<double>(mesh.d));
  mesh.block_rows = slot.count() / (mesh.d * itemsize(f32));
  mesh.block_keys = slot.count() / (mesh.d * itemsize(f16));
  return mesh;
}

void add_shares(host::Session& session, const AttentionMeshArgs& mesh, AttentionRun& run) {
  hw::Machine& machine = session.machine();
  const auto window = static_cast<double>((run.window.last_end - run.window.first_start).count());
  for (int rank = 0; rank < mesh.ranks; ++rank) {
    const PeCoord at = mesh.rank_axis == 0 ? PeCoord{.pe = rank} : PeCoord{.cube = rank};
    const topology::PeNodes& pe = machine.graph().pe(at);
    std::vector<Interval> busy;
    for (const oplog::Op& op : session.log().ops(machine.lane(at))) {
      if (op.unit == pe.gemm || op.unit == pe.math) busy.push_back({op.start, op.end});
    }
    std::vector<Interval> busy_or_waiting = busy;
    for (const oplog::NamedRange& range : session.log().ranges(machine.lane(at))) {
      if (std::string_view{attention::kWaitForNeighbour} == range.name)
        busy_or_waiting.push_back({range.begin, range.end});
    }
    const Time computing = covered(busy);
    const Time waiting = covered(busy_or_waiting) - computing;
    run.compute_share += static_cast<double>(computing.count()) / window / mesh.ranks;
    run.communication_share += static_cast<double>(waiting.count()) / window / mesh.ranks;
  }
}

// The most that a kernel holds of the TCM: its running outputs (before, weighted, after), three tiles of
// scores, and keys and values loaded ahead; and data of all ranks that neighbours may not have taken yet.
Bytes most_held(const AttentionProblem& problem, const AttentionMeshArgs& mesh) {
  const std::int64_t rows_of_head = mesh.h_q / mesh.h_kv * mesh.s_q;
  const std::int64_t rows = problem.decode ? std::min(rows_of_head, mesh.block_rows) : rows_of_head;
  const std::int64_t keys = std::min(mesh.s_kv, mesh.block_keys);
  constexpr std::int64_t kColumns = 8;
  const std::int64_t at_work = rows * (3 * mesh.d + 3 * keys + kColumns) * itemsize(f32) +
                               rows_of_head * mesh.d * itemsize(f16) + 12 * keys * mesh.d * itemsize(f16);
  const std::int64_t sent = problem.decode
                                ? (mesh.ranks + 2) * mesh.h_q * mesh.s_q * (mesh.d + 2) * itemsize(f32)
                                : mesh.ranks * 2 * mesh.s_kv * mesh.d * itemsize(f16);
  return Bytes{at_work + sent};
}

void require_shape(bool holds, const std::string& why) {
  if (!holds) throw UsageError{"attention: " + why};
}

}  // namespace

config::MachineSpec machine_of(const AttentionProblem& problem, config::MachineSpec machine) {
  machine.system.sips = {.count = 1, .link = machine.system.sips.link};
  if (problem.mesh.rank_axis == 0) machine.sip.cube_mesh = {.w = 1, .h = 1};
  return machine;
}

config::AlgorithmSpec line_of(const AttentionProblem& problem, const config::CclSettings& slots) {
  config::AlgorithmSpec line;
  static_cast<config::CclSettings&>(line) = slots;
  line.name = line.kernel = problem.decode ? "attention_mesh_mlo" : "attention_mesh_kv";
  line.topology = problem.mesh.rank_axis == 0 ? "line_of_pes" : "line_of_cubes";
  line.mapper = problem.mesh.rank_axis == 0 ? "all_pes" : "cube_leaders";
  return line;
}

void require_possible(const config::MachineSpec& machine, const config::AlgorithmSpec& line,
                      const AttentionProblem& problem) {
  const AttentionMeshArgs& mesh = problem.mesh;
  const int most = mesh.rank_axis == 0 ? machine.pes_per_cube() : machine.cubes_per_sip();
  require_shape(mesh.h_q % mesh.h_kv == 0, fmt::format("{} of queries can't share {} of keys evenly",
                                                       counted(mesh.h_q, "head"), mesh.h_kv));
  require_shape(mesh.ranks <= most, fmt::format("{}, but {} in a {}", counted(mesh.ranks, "rank"),
                                                there_are(most, mesh.rank_axis == 0 ? "PE" : "cube"),
                                                mesh.rank_axis == 0 ? "cube" : "package"));
  require_shape(complete(mesh, line.slot_size).block_rows > 0,
                fmt::format("{} of f32 don't fit a slot of {}; raise slot_size", counted(mesh.d, "element"),
                            to_string(line.slot_size)));
  require_shape(!mesh.causal || mesh.s_q <= mesh.s_kv * (problem.decode ? mesh.ranks : 1),
                "causal attention has more queries than keys");
  const Placements placed{problem};
  Rehearsal rehearsal{machine};
  rehearsal.install(line);
  for (const Placed& tensor : {placed.q, placed.kv, placed.kv, placed.o})
    rehearsal.place(0, tensor.shape, f16, tensor.dp);
  rehearsal.hold(most_held(problem, complete(mesh, line.slot_size)) + ccl::rings_in_tcm(line, machine));
}

Task<> run_attention(host::Rank& rk, AttentionProblem problem, AttentionRun* run) {
  const config::AlgorithmSpec line = rk.session().algorithm();
  const Placements placed{problem};
  AttentionMeshArgs& mesh = problem.mesh;
  mesh = complete(mesh, line.slot_size);
  co_await rk.dist.init_process_group({});
  const host::HostArray q_values = random_numbers(placed.q.shape, 1);
  const host::HostArray k_values = random_numbers(placed.kv.shape, 2);
  const host::HostArray v_values = random_numbers(placed.kv.shape, 3);
  host::Tensor q = co_await rk.torch.from_host(q_values, {.dp = placed.q.dp, .name = "q"});
  host::Tensor k = co_await rk.torch.from_host(k_values, {.dp = placed.kv.dp, .name = "k"});
  host::Tensor v = co_await rk.torch.from_host(v_values, {.dp = placed.kv.dp, .name = "v"});
  host::Tensor o = co_await rk.torch.empty(placed.o.shape, f16, {.dp = placed.o.dp, .name = "o"});
  mesh.q = q.ptr();
  mesh.k = k.ptr();
  mesh.v = v.ptr();
  mesh.o = o.ptr();
  run->window = co_await rk.launch(line.kernel, q, mesh);
  const host::HostArray out = co_await o.to_host();
  run->numbers = replay::compare(out.bytes(), expected(problem, q_values, k_values, v_values), f16, kRounded);
  add_shares(rk.session(), mesh, *run);
}

}  // namespace kbsim::evaluate
