#include <tuple>

#include <doctest/doctest.h>

#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/i_math.hpp"

#include "harness.hpp"
#include "idle.hpp"

namespace kbsim::hw::test::engines_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr Ptr kHere{.va = kVa, .dtype = f16};
constexpr Time kDispatch = 4_ns;
constexpr Time kMmu = 1_ns;
constexpr Time kMath = 5_ns;  // of 64 elements: 4 ns to start, one cycle

struct SeenArgs {
  Time* begin;
  Time* end;
};

Task<> three_sums(TL& tl, SeenArgs args) {
  *args.begin = tl.clock();
  const Tile x = tl.full({64}, 1.0);
  const Tile y = x + x;
  const Tile z = y + x;
  *args.end = tl.clock();
  co_return;
}

Task<> load_alone(TL& tl, SeenArgs args) {
  *args.begin = tl.clock();
  co_await tl.load(kHere, {4096}, f16);
  *args.end = tl.clock();
}

Task<> load_over_sums(TL& tl, SeenArgs args) {
  *args.begin = tl.clock();
  auto loading = tl.load(kHere, {4096}, f16);
  Tile x = tl.full({64}, 1.0);
  for (int i = 0; i < 7; ++i) x += x;
  co_await loading;
  *args.end = tl.clock();
}

Task<> store_a_sum(TL& tl, SeenArgs args) {
  *args.begin = tl.clock();
  const Tile x = tl.full({6400}, 1.0, f16);
  co_await tl.store(kHere, x);
  *args.end = tl.clock();
}

Task<> load_beside_a_store(TL& tl, SeenArgs args) {
  const Tile x = tl.zeros({32768}, f16);
  co_await tl.store(kHere, x);  // x is ready from here on
  *args.begin = tl.clock();
  auto loading = tl.load(kHere, {4096}, f16);
  auto storing = tl.store(Ptr{.va = kVa + 0x20000, .dtype = f16}, x);
  co_await loading;
  *args.end = tl.clock();
  co_await storing;
}

Task<> multiply_and_add(TL& tl, SeenArgs args) {
  *args.begin = tl.clock();
  const Tile a = tl.zeros({64, 64});
  const Tile c = tl.dot(a, a);
  const Tile b = a * 2.0;  // beside the product
  const Tile all = tl.reshape(c, {4096}) + tl.reshape(b, {4096});
  tl.print("all", all);
  tl.check_all(all, "none is 0");
  *args.end = tl.clock();
  co_return;
}

// A sum, or a choice, of a long product and of a tile that has long been ready.
enum class Late { first, last, chosen_first, chosen_last };
template <Late kLate>
Task<> waits_for_a_product(TL& tl, SeenArgs args) {
  *args.begin = tl.clock();
  const Tile early = tl.full({64, 64}, 1.0);
  const Tile always = early > 0.0;
  const Tile late = tl.dot(early, early);
  if constexpr (kLate == Late::first) const Tile y = late + early;
  if constexpr (kLate == Late::last) const Tile y = early + late;
  if constexpr (kLate == Late::chosen_first) const Tile y = tl.where(always, late, early);
  if constexpr (kLate == Late::chosen_last) const Tile y = tl.where(always, early, late);
  *args.end = tl.clock();
  co_return;
}

struct Seen {
  Time begin{};
  Time end{};
  std::vector<oplog::Op> ops;  // of the PE, in program order, from `begin`
};

Seen run_kernel(Rig& rig, Task<> (*kernel)(TL&, SeenArgs)) {
  Seen seen;
  rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe),
                         bind_kernel("kernel", kernel, SeenArgs{&seen.begin, &seen.end})));
  for (oplog::Op op : rig.log.ops(rig.machine->lane(kPe))) {
    op.start -= seen.begin;
    op.end -= seen.begin;
    seen.ops.push_back(std::move(op));
  }
  return seen;
}

void check_times(const Seen& seen, const std::vector<std::pair<Time, Time>>& expected) {
  REQUIRE(seen.ops.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(seen.ops[i].start == expected[i].first);
    CHECK(seen.ops[i].end == expected[i].second);
  }
}

}  // namespace

TEST_CASE("PeMath: startup + ceil(elements / lanes) / freq") {
  for (const int lanes : {1, 48, 64}) {
    for (const double freq : {0.5, 1.0, 1.6}) {
      config::MachineSpec spec = small_machine();
      spec.pe.pe_math.attrs = {{"lanes", std::int64_t{lanes}}, {"freq_ghz", freq}, {"startup_ns", 2.5}};
      Rig rig{spec};
      const auto& math = rig.machine->at<hw::IMath>(rig.pe(kPe).math);
      for (const std::int64_t n : {1, 47, 48, 49, 64, 65, 1000, 65536})
        CHECK(math.cost(n) == 2'500_ps + from_ns(static_cast<double>((n + lanes - 1) / lanes) / freq));
    }
  }
}

TEST_CASE("PeGemm: m k n / macs_per_ns, rounded up to a picosecond") {
  Rig standard{small_machine()};
  CHECK(standard.machine->at<hw::IGemm>(standard.pe(kPe).gemm).tile_cost({32, 64, 32}) == 16_ns);
  for (const std::int64_t rate : {1, 3, 1000, 4096}) {
    config::MachineSpec spec = small_machine();
    spec.pe.pe_gemm.attrs["macs_per_ns"] = static_cast<double>(rate);
    Rig rig{spec};
    const auto& gemm = rig.machine->at<hw::IGemm>(rig.pe(kPe).gemm);
    for (const std::int64_t m : {1, 7, 32, 128}) {
      for (const std::int64_t k : {1, 13, 64})
        CHECK(gemm.tile_cost({m, k, 11}) == Time{(1000 * m * k * 11 + rate - 1) / rate});
    }
  }
}

oplog::Op operation(oplog::OpKind kind, const oplog::Parameters& params, std::vector<Shape> inputs,
                    Shape shape) {
  oplog::Op op{.kind = kind, .params = params, .shape = shape};
  for (const Shape& input : inputs) op.inputs.push_back({.slices = {}, .shape = input});
  return op;
}

TEST_CASE("PeGemm: a dot costs its tiles, padded, times its batches") {
  Rig rig{small_machine()};
  const auto& gemm = rig.machine->at<hw::IGemm>(rig.pe(kPe).gemm);
  const hw::GemmTile tile{.m = 32, .k = 64, .n = 32};
  const auto cost = [&](Shape a, Shape b, Shape c) {
    return gemm.cost(operation(oplog::OpKind::dot, {}, {a, b}, c), tile);
  };
  CHECK(cost({32, 64}, {64, 32}, {32, 32}) == 16_ns);
  CHECK(cost({1, 1}, {1, 1}, {1, 1}) == 16_ns);
  CHECK(cost({33, 65}, {65, 97}, {33, 97}) == 2 * 2 * 4 * 16_ns);
  CHECK(cost({5, 32, 64}, {5, 64, 32}, {5, 32, 32}) == 5 * 16_ns);
}

TEST_CASE(
    "PeGemm: a tile takes the longer of its arithmetic with its overhead, and of its larger operand's "
    "entry") {
  config::MachineSpec spec = small_machine();
  spec.pe.pe_gemm.attrs = {{"macs_per_ns", 1024.0}, {"tile_overhead_ns", 5.0}, {"operand_bw_gbs", 45.0}};
  Rig rig{spec};
  const auto& gemm = rig.machine->at<hw::IGemm>(rig.pe(kPe).gemm);
  const hw::GemmTile tile{.m = 32, .k = 32, .n = 32};
  const Time entry = Time{(2048 * 1000 + 44) / 45};  // 2048 bytes at 45 GB/s
  CHECK(gemm.tile_cost(tile) == entry);
  CHECK(gemm.tile_cost({.m = 32, .k = 32, .n = 32, .element_bytes = 1}) == 37_ns);  // 1024 MAC/ns, 5 ns
  CHECK(gemm.tile_cost({.m = 16, .k = 32, .n = 32}) == entry);
  const auto cost = [&](DType dtype) {
    oplog::Op dot = operation(oplog::OpKind::dot, {}, {{33, 32}, {32, 32}}, {33, 32});
    for (oplog::Operand& input : dot.inputs) input.dtype = dtype;
    return gemm.cost(dot, tile);
  };
  CHECK(cost(bf16) == 2 * entry);
  CHECK(cost(DType::f8e4m3) == 2 * 37_ns);
  const std::vector<hw::CostTerm> terms = gemm.cost_terms(6 * entry, tile);
  REQUIRE(terms.size() == 1);
  CHECK(terms[0].key == "operand_bw_gbs");
  CHECK(terms[0].times == 6);
  CHECK(terms[0].work == 2048);
  CHECK(gemm.cost_terms(37_ns, tile).empty());  // of other operands
}

TEST_CASE("PeGemm: the terms of a cost with an overhead are its arithmetic and the overhead") {
  config::MachineSpec spec = small_machine();
  spec.pe.pe_gemm.attrs = {{"macs_per_ns", 1024.0}, {"tile_overhead_ns", 5.0}};
  Rig rig{spec};
  const auto& gemm = rig.machine->at<hw::IGemm>(rig.pe(kPe).gemm);
  const hw::GemmTile tile{.m = 32, .k = 32, .n = 32};
  CHECK(gemm.tile_cost(tile) == 37_ns);
  const std::vector<hw::CostTerm> terms = gemm.cost_terms(3 * 37_ns, tile);
  REQUIRE(terms.size() == 2);
  CHECK(terms[0].work == 32 * 32 * 32);
  CHECK(terms[1].key == "tile_overhead_ns");
  CHECK(terms[1].times == 3);
}

TEST_CASE("PeMath: an operation costs by its class and the larger of what goes in and comes out") {
  using oplog::OpKind;
  config::MachineSpec spec = small_machine();
  spec.pe.pe_math.attrs = {{"elementwise_cycles", std::int64_t{2}},
                           {"transcendental_cycles", std::int64_t{5}},
                           {"reduce_cycles", std::int64_t{3}},
                           {"move_cycles", std::int64_t{7}}};
  Rig rig{spec};
  const auto& math = rig.machine->at<hw::IMath>(rig.pe(kPe).math);
  const auto cost = [&](OpKind kind, const oplog::Parameters& params, Shape in, Shape out) {
    return math.cost(operation(kind, params, {in}, out));
  };
  constexpr Time kStart = 4_ns;
  CHECK(cost(OpKind::unary, {.unary = oplog::UnaryOp::exp}, {65}, {65}) == kStart + 2 * 5_ns);
  CHECK(cost(OpKind::unary, {.unary = oplog::UnaryOp::abs}, {64}, {64}) == kStart + 2_ns);
  CHECK(cost(OpKind::reduce, {}, {2, 64}, {2}) == kStart + 2 * 3_ns);
  CHECK(cost(OpKind::broadcast, {}, {64}, {3, 64}) == kStart + 3 * 7_ns);
  CHECK(cost(OpKind::slice, {}, {9, 64}, {2, 64}) == kStart + 2 * 7_ns);  // of its result alone
  CHECK(cost(OpKind::cumprod_reverse, {}, {2, 64}, {2, 64}) == kStart + 2 * 3_ns);
  CHECK(cost(OpKind::softmax, {}, {64}, {64}) == kStart + 2 * 3_ns + 5_ns + 2 * 2_ns);
}

TEST_CASE("Kernel: products run beside pe_math; numbers, views, prints and checks take no time") {
  Rig rig{small_machine()};
  const Seen seen = run_kernel(rig, multiply_and_add);
  const Time math = 4_ns + 64_ns;  // 4096 elements
  const Time gemm = 4 * 16_ns;     // 2 x 1 x 2 tiles
  const Time zeros = kDispatch + math;
  CHECK(seen.end - seen.begin == 4 * kDispatch);
  REQUIRE(seen.ops.size() == 7);
  CHECK(seen.ops[1].end == zeros + gemm);
  CHECK(seen.ops[2].start == seen.ops[2].end);
  CHECK(seen.ops[3].end == zeros + math);
  CHECK(seen.ops[4].end == zeros + std::max(gemm, math) + math);
  CHECK(seen.ops[4].shape == Shape{4096});
  CHECK(seen.ops[5].kind == oplog::OpKind::print);
  CHECK(seen.ops[5].start == seen.ops[4].end);
  CHECK(seen.ops[5].end == seen.ops[4].end);
  CHECK(seen.ops[6].kind == oplog::OpKind::check);
  CHECK(seen.ops[6].start == seen.ops[4].end);
  CHECK(seen.ops[6].end == seen.ops[4].end);
}

TEST_CASE("Kernel: queued commands cost the kernel their dispatch; the engine serves them in a row") {
  Rig rig{small_machine()};
  const Seen seen = run_kernel(rig, three_sums);
  CHECK(seen.end - seen.begin == 3 * kDispatch);
  check_times(seen, {{kDispatch, kDispatch + kMath},
                     {kDispatch + kMath, kDispatch + 2 * kMath},
                     {kDispatch + 2 * kMath, kDispatch + 3 * kMath}});
}

TEST_CASE("Kernel: with blocking issue each command waits for the result of the one before it") {
  config::MachineSpec spec = small_machine();
  spec.pe.issue = config::Issue::blocking;
  Rig rig{spec};
  const Seen seen = run_kernel(rig, three_sums);
  const Time each = kDispatch + kMath;
  CHECK(seen.end - seen.begin == 3 * each);
  check_times(seen, {{kDispatch, each}, {each + kDispatch, 2 * each}, {2 * each + kDispatch, 3 * each}});
}

TEST_CASE("Kernel: an engine that is faster than the dispatch waits for it") {
  config::MachineSpec spec = small_machine();
  spec.pe.pe_cpu.attrs["dispatch_cycles"] = std::int64_t{9};
  Rig rig{spec};
  check_times(run_kernel(rig, three_sums), {{9_ns, 14_ns}, {18_ns, 23_ns}, {27_ns, 32_ns}});
}

TEST_CASE("Kernel: an operation begins when all of its operands are ready, whichever of them comes last") {
  for (const auto kernel :
       {waits_for_a_product<Late::first>, waits_for_a_product<Late::last>,
        waits_for_a_product<Late::chosen_first>, waits_for_a_product<Late::chosen_last>}) {
    config::MachineSpec spec = small_machine();
    spec.pe.pe_gemm.attrs["macs_per_ns"] = 64.0;  // so that the product takes longer than all else
    Rig rig{spec};
    const Seen seen = run_kernel(rig, kernel);
    const auto product = std::ranges::find(seen.ops, oplog::OpKind::dot, &oplog::Op::kind);
    REQUIRE(product != seen.ops.end());
    const oplog::Op& result = seen.ops.back();
    for (const oplog::Op& other : seen.ops) {
      if (&other != &*product && &other != &result) REQUIRE(other.end < product->end);
    }
    CHECK(result.start == product->end);
  }
}

TEST_CASE("Kernel: engines run while the DMA does; neither delays the other") {
  Rig alone{small_machine()};
  const Seen load = run_kernel(alone, load_alone);
  Rig rig{small_machine()};
  const Seen both = run_kernel(rig, load_over_sums);
  CHECK(both.end - both.begin == load.end - load.begin);
  std::vector<std::pair<Time, Time>> expected{{kDispatch + kMmu, load.end - load.begin}};
  for (int i = 0; i < 8; ++i)
    expected.emplace_back(2 * kDispatch + i * kMath, 2 * kDispatch + (i + 1) * kMath);
  check_times(both, expected);
}

TEST_CASE("Kernel: a store begins when its tile is ready, and its operand is that tile") {
  Rig rig{small_machine()};
  const Seen seen = run_kernel(rig, store_a_sum);
  const Time ready = kDispatch + 4_ns + 100_ns;  // 6400 elements, 64 a cycle
  REQUIRE(seen.ops.size() == 2);
  CHECK(seen.ops[0].end == ready);
  CHECK(seen.ops[1].start == ready);
  CHECK(seen.ops[1].inputs.front().slices.front().value == seen.ops[0].id);
  const Expected store = crossing(way_between_memories(rig.graph, rig.pe(kPe).tcm, rig.hbm(kPe)),
                                  cut(rig.graph, 12800_B, 4_KiB)) +
                         crossing(way(rig.graph, rig.hbm(kPe), rig.pe(kPe).dma), control(rig.graph)) + ready;
  CHECK(meets(seen.end - seen.begin, store));
}

TEST_CASE("PE_DMA: a load that completes while a store streams is seen at that time, not a packet later") {
  config::MachineSpec spec = small_machine();
  spec.cube.hbm_ctrl.attrs["efficiency"] = 1.0;
  Rig alone{spec};
  const Seen load = run_kernel(alone, load_alone);
  spec.pe.link = Bandwidth::gbs(64.0);  // 4 ns a packet, on a grid that the load's end isn't on
  Rig slow{spec};
  Rig slow_alone{spec};
  const Seen single = run_kernel(slow_alone, load_alone);
  const Seen both = run_kernel(slow, load_beside_a_store);
  CHECK(both.end - both.begin == single.end - single.begin);
  CHECK(single.end - single.begin > load.end - load.begin);
}

}  // namespace kbsim::hw::test::engines_test
