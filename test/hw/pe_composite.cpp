#include <optional>

#include <doctest/doctest.h>

#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/sim/process.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::pe_composite_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr Ptr kHere{.va = kVa, .dtype = f16};

enum class Where { tile, memory };

struct GemmArgs {
  std::int64_t m;
  std::int64_t k;
  std::int64_t n;
  Where a;
  Where b;
  Where out;
  int depth;
};

Task<> gemm(TL& tl, GemmArgs g) {
  const Tile a = tl.zeros({g.m, g.k}, f16);
  const Tile b = tl.zeros({g.k, g.n}, f16);
  co_await tl.sync();
  const Ref ra = tl.ref(kHere, {g.m, g.k}, f16);
  const Ref rb = tl.ref(kHere + g.m * g.k, {g.k, g.n}, f16);
  CompositeArgs args{.a = a, .b = b, .depth = g.depth};
  if (g.a == Where::memory) args.a = ra;
  if (g.b == Where::memory) args.b = rb;
  if (g.out == Where::memory) args.out = tl.ref(kHere + g.m * g.k + g.k * g.n, {g.m, g.n}, f16);
  const Tile result = co_await tl.composite(args);
  if (g.out == Where::tile) {
    CHECK(result.shape() == Shape{g.m, g.n});
    CHECK(result.dtype() == f32);
  }
}

hw::CompositeRecord run_gemm(Rig& rig, const GemmArgs& args) {
  rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe), bind_kernel("gemm", gemm, args)));
  const auto& records = rig.machine->at<hw::IScheduler>(rig.pe(kPe).scheduler).composites();
  REQUIRE(records.size() == 1);
  return records.front();
}

// Time of one tile from start to end, with its latencies: equal for all tiles, as nothing overlaps.
Time of_one_tile(GemmArgs args) {
  args.depth = 1;
  Rig rig{small_machine()};
  const hw::CompositeRecord record = run_gemm(rig, args);
  Time busy{};
  for (const hw::StageRecord& stage : record.stages) {
    CHECK(stage.tiles == record.tiles);
    CHECK(stage.busy.count() % stage.tiles == 0);
    busy += stage.busy;
  }
  CHECK(record.end - record.start == busy);
  return busy / record.tiles;
}

// Time of the memory, the slowest server of its path, for this number of stretches of a tile.
Time in_memory(Rig& rig, std::int64_t stretches, Bytes each) {
  return stretches * rig.machine->at<hw::Memory>(rig.hbm(kPe)).read_rate().serialization(each);
}

// TilePipeline's formula: a tile alone takes `alone`, and the slowest stage takes `most`.
Time closed_form(const hw::CompositeRecord& record, int depth, Time alone, Time most) {
  const std::int64_t n = hw::TilePipeline::in_flight(depth, record.stages.size());
  const std::int64_t others = record.tiles - 1;
  return alone + others % n * most + others / n * std::max(alone, n * most);
}

std::vector<std::string> names(const hw::CompositeRecord& record) {
  std::vector<std::string> all;
  for (const hw::StageRecord& stage : record.stages) all.push_back(stage.name);
  return all;
}

}  // namespace

TEST_CASE("Composite: of tiles, fetch and GEMM are constant and the pipeline formula holds exactly") {
  for (const int depth : {1, 2, 3}) {
    Rig rig{small_machine()};
    const GemmArgs args{100, 300, 70, Where::tile, Where::tile, Where::tile, depth};
    const hw::CompositeRecord record = run_gemm(rig, args);
    CHECK(record.tiles == 4 * 5 * 3);
    CHECK(record.macs == 100 * 300 * 70);
    CHECK(record.padded_macs == 60 * 32 * 64 * 32);
    CHECK(names(record) == std::vector<std::string>{"fetch", "gemm"});
    const Time fetch = 2_ns + 8_ns;  // 8 KiB at 1024 GB/s
    CHECK(record.stages[0].busy == 60 * fetch);
    CHECK(record.stages[1].busy == 60 * 16_ns);
    CHECK(record.end - record.start == (depth == 1 ? 60 * (fetch + 16_ns) : fetch + 60 * 16_ns));
  }
}

TEST_CASE("Composite: operands streamed from memory pay their way's latency once, each tile its bytes") {
  for (const auto& [a, b] : {std::pair{Where::memory, Where::memory}, std::pair{Where::tile, Where::memory},
                             std::pair{Where::memory, Where::tile}}) {
    GemmArgs args{64, 256, 96, a, b, Where::tile, 1};
    const Time alone = of_one_tile(args);
    for (const int depth : {1, 2, 3}) {
      CAPTURE(depth);
      Rig rig{small_machine()};
      args.depth = depth;
      const hw::CompositeRecord record = run_gemm(rig, args);
      CHECK(names(record) == std::vector<std::string>{"dma_in", "fetch", "gemm"});
      const Time streamed = (a == Where::memory ? in_memory(rig, 32, 128_B) : Time{}) +
                            (b == Where::memory ? in_memory(rig, 64, 64_B) : Time{});
      const Time latency = alone - streamed - 10_ns - 16_ns;
      CHECK(latency > 30_ns);   // no less than the HBM's
      CHECK(streamed > 16_ns);  // the slowest stage, before the GEMM
      CHECK(record.end - record.start == closed_form(record, depth, alone, streamed));
      if (depth == 3) CHECK(record.stages[0].busy == latency + 24 * streamed);  // it never runs dry
    }
  }
}

TEST_CASE("Composite: an output in memory leaves once an output tile, after the last K tile") {
  Rig rig{small_machine()};
  const hw::CompositeRecord record = run_gemm(rig, {64, 256, 96, Where::tile, Where::tile, Where::memory, 1});
  CHECK(names(record) == std::vector<std::string>{"fetch", "gemm", "dma_out"});
  REQUIRE(record.tiles == 24);
  CHECK(record.stages[2].tiles == 6);
  Time busy{};
  for (const hw::StageRecord& stage : record.stages) busy += stage.busy;
  CHECK(record.end - record.start == busy);  // with depth 1 nothing overlaps
}

TEST_CASE("Composite: with one K tile and an output in memory the formula holds with every stage") {
  GemmArgs args{96, 64, 64, Where::tile, Where::tile, Where::memory, 1};
  const Time alone = of_one_tile(args);
  for (const int depth : {2, 3, 4}) {
    CAPTURE(depth);
    Rig rig{small_machine()};
    args.depth = depth;
    const hw::CompositeRecord record = run_gemm(rig, args);
    CHECK(record.tiles == 6);
    CHECK(record.stages[2].tiles == 6);
    CHECK(in_memory(rig, 32, 64_B) < 16_ns);  // the GEMM is the slowest stage
    CHECK(record.end - record.start == closed_form(record, depth, alone, 16_ns));
  }
}

TEST_CASE("Composite: more tiles in flight never take longer") {
  Time before = kForever;
  for (const int depth : {1, 2, 4}) {
    Rig rig{small_machine()};
    const GemmArgs args{96, 192, 96, Where::memory, Where::memory, Where::memory, depth};
    const hw::CompositeRecord alone = run_gemm(rig, args);
    CHECK(alone.end - alone.start <= before);
    before = alone.end - alone.start;
  }
}

TEST_CASE("Composite: it is one dot of what memory held, and memory then holds its output") {
  Rig rig{small_machine()};
  oplog::MemoryImage& memory = rig.machine->at<hw::Memory>(rig.hbm(kPe)).image();
  const oplog::ValueId value = rig.log.reserve(rig.log.add_lane("host"));
  const std::int64_t m = 40;
  const std::int64_t k = 100;
  const std::int64_t n = 50;
  const std::int64_t in = (m * k + k * n) * 2;
  memory.write(0, {value, 0, in});
  (void)run_gemm(rig, {m, k, n, Where::memory, Where::memory, Where::memory, 2});
  const oplog::Op& dot = rig.log.ops(rig.machine->lane(kPe)).back();
  CHECK(dot.kind == oplog::OpKind::dot);
  CHECK(dot.dtype == f16);
  REQUIRE(dot.inputs.size() == 2);
  CHECK(dot.inputs[0].slices == oplog::Slices{{value, 0, m * k * 2}});
  CHECK(dot.inputs[1].slices == oplog::Slices{{value, m * k * 2, k * n * 2}});
  CHECK(memory.read(in, m * n * 2) == oplog::Slices{{dot.id, 0, m * n * 2}});
}

TEST_CASE("Composite: shuffled ties change nothing") {
  std::optional<Time> first;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Rig rig{small_machine(), {.shuffle_ties = seed}};
    const GemmArgs args{96, 192, 96, Where::memory, Where::memory, Where::memory, 2};
    const hw::CompositeRecord record = run_gemm(rig, args);
    if (!first) first = record.end;
    CHECK(record.end == *first);
  }
}

namespace {

// Two products of matrices in memory, issued one right after the other.
Task<> two_gemms(TL& tl, GemmArgs g) {
  const Ref a = tl.ref(kHere, {g.m, g.k}, f16);
  const Ref b = tl.ref(kHere + g.m * g.k, {g.k, g.n}, f16);
  auto first = tl.composite({.a = a, .b = b, .depth = g.depth});
  auto second = tl.composite({.a = a, .b = b, .depth = g.depth});
  co_await second;
  co_await first;
}

struct Pair {
  hw::CompositeRecord first;
  hw::CompositeRecord second;
};

Pair run_two(config::MachineSpec spec, const GemmArgs& args, std::optional<std::uint64_t> ties = {}) {
  Rig rig{std::move(spec), {.shuffle_ties = ties}};
  rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe), bind_kernel("two_gemms", two_gemms, args)));
  const auto& records = rig.machine->at<hw::IScheduler>(rig.pe(kPe).scheduler).composites();
  REQUIRE(records.size() == 2);
  return {records[0], records[1]};
}

const GemmArgs kStreamed{64, 256, 96, Where::memory, Where::memory, Where::tile, 2};

}  // namespace

TEST_CASE("Composite: the next one follows tile by tile, and the slowest stage goes on without a gap") {
  Rig rig{small_machine()};
  const Time streamed = in_memory(rig, 32, 128_B) + in_memory(rig, 64, 64_B);
  const Time alone = of_one_tile(kStreamed);
  for (const std::optional<std::uint64_t> ties : {std::optional<std::uint64_t>{}, {1}, {2}}) {
    const Pair pair = run_two(small_machine(), kStreamed, ties);
    CHECK(pair.first.end - pair.first.start == alone + 23 * streamed);
    CHECK(pair.second.end - pair.first.start == alone + 47 * streamed);
  }
}

TEST_CASE("Composite: the next one waits for the end of one with which it has no room, or of depth 1") {
  GemmArgs one_at_a_time = kStreamed;
  one_at_a_time.depth = 1;
  const Pair single = run_two(small_machine(), one_at_a_time);
  CHECK(single.second.start == single.first.end);
  CHECK(single.second.end - single.first.start == 2 * 24 * of_one_tile(kStreamed));

  config::MachineSpec tight = small_machine();
  tight.cube.memory.tcm_scheduler = 4 * 8_KiB;  // N = 4 tiles of A and B
  const Pair pair = run_two(tight, kStreamed);
  CHECK(pair.second.start == pair.first.end);
  CHECK(pair.second.end - pair.second.start == pair.first.end - pair.first.start);
  tight.cube.memory.tcm_scheduler = 8 * 8_KiB;
  CHECK(run_two(tight, kStreamed).second.start < pair.first.end);
}

namespace {

struct OthersArgs {
  int reads;
};

// PE 1 reads the slice of PE 0, again and again.
Task<> read_again(TL& tl, OthersArgs args) {
  for (int i = 0; i < args.reads; ++i) {
    const Tile got = co_await tl.load(kHere, {2048}, f16);
  }
}

Task<> launch(Rig* rig, std::vector<PeCoord> pes, KernelCall kernel) {
  co_await rig->launch(std::move(pes), std::move(kernel));
}

Task<> map_and_launch_both(Rig* rig, GemmArgs gemm_args, OthersArgs others) {
  constexpr PeCoord kOther{0, 0, 1};
  for (const PeCoord pe : {kPe, kOther}) co_await rig->map(pe, kVa, in_hbm(*rig->spec, kPe), 1_MiB);
  std::vector<PeCoord> other{kOther};
  Process reading =
      rig->sim.spawn("reader", launch(rig, std::move(other), bind_kernel("read_again", read_again, others)));
  std::vector<PeCoord> one{kPe};
  co_await rig->launch(std::move(one), bind_kernel("gemm", gemm, gemm_args));
  co_await reading.join();
}

}  // namespace

TEST_CASE("Composite: others on the same memory only add to its time") {
  const GemmArgs args{64, 256, 96, Where::memory, Where::memory, Where::memory, 2};
  Rig alone{small_machine()};
  const hw::CompositeRecord quiet = run_gemm(alone, args);
  for (const int reads : {1, 10, 100}) {
    CAPTURE(reads);
    Rig rig{small_machine()};
    rig.run(map_and_launch_both(&rig, args, {.reads = reads}));
    const auto& records = rig.machine->at<hw::IScheduler>(rig.pe(kPe).scheduler).composites();
    REQUIRE(records.size() == 1);
    const Time took = records.front().end - records.front().start;
    CHECK(took >= quiet.end - quiet.start);
    if (reads == 100) CHECK(took > quiet.end - quiet.start);
  }
}

}  // namespace kbsim::hw::test::pe_composite_test
