#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/pe/tcm_budget.hpp"
#include "kbsim/sim/deadlock.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::pe_tcm_budget_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr Ptr kBytes{.va = kVa, .dtype = DType::u8};

// A TCM with room for 1 MiB of tiles.
config::MachineSpec tight(config::OnFull on_full) {
  config::MachineSpec spec = small_machine();
  spec.cube.memory.tcm = 2_MiB;
  spec.cube.memory.tcm_scheduler = 1_MiB;
  spec.pe.tcm.on_full = on_full;
  return spec;
}

struct SeenArgs {
  Time* first;
  Time* second;
};

constexpr std::int64_t kMost = 700 << 10;

// The second tile has no room until the first one's store is acknowledged.
Task<> one_after_the_other(TL& tl, SeenArgs args) {
  auto loading = tl.load(kBytes, {kMost}, DType::u8);
  Tile tile = co_await loading;
  loading = {};
  auto stored = tl.store(kBytes, tile);
  tile = {};
  auto next = tl.load(kBytes, {kMost}, DType::u8);
  co_await stored;
  *args.first = tl.clock();
  stored = {};
  co_await next;
  *args.second = tl.clock();
}

Task<> one_store(TL& tl, SeenArgs args) {
  auto stored = tl.store(kBytes, tl.zeros({kMost}, DType::u8));
  co_await stored;
  *args.first = tl.clock();
}

// The second fill, and all that comes after it, waits for the store of the first.
Task<> fill_after_store(TL& tl, SeenArgs args) {
  auto stored = tl.store(kBytes, tl.zeros({kMost}, DType::u8));
  const Tile next = tl.zeros({kMost}, DType::u8);
  co_await tl.sync();
  *args.second = tl.clock();
  co_await stored;
}

// All kinds of commands; only the first of them takes more than there is.
Task<> many_after_store(TL& tl, SeenArgs args) {
  auto stored = tl.store(kBytes, tl.zeros({kMost}, DType::u8));
  const Tile next = tl.zeros({kMost}, DType::u8);
  const Tile row = tl.reshape(tl.zeros({64}, f16), {1, 64});
  auto product = tl.composite({.a = row, .b = tl.zeros({64, 32}, f16)});
  auto loading = tl.load(Ptr{.va = kVa + kMost, .dtype = f16}, {64}, f16);
  auto storing = tl.store(Ptr{.va = kVa + kMost + 128, .dtype = f16}, row);
  const Tile loaded = co_await loading;
  const Tile sum = row + tl.reshape(loaded, {1, 64});
  const Tile multiplied = co_await product;
  co_await storing;
  co_await tl.sync();
  *args.second = tl.clock();
  co_await stored;
}

Task<> larger_than_all(TL& tl, SeenArgs) {
  const Tile tile = tl.zeros({2 << 20}, DType::u8);
  co_return;
}

Task<> endless(TL& tl, SeenArgs) {
  co_await tl.sync();
  const Tile tile = tl.zeros({kMost}, DType::u8);
  Tile x = tl.zeros({kMost}, DType::u8);
  for (;;) x = x + x;
}

// Its tiles are freed at its last line.
Task<> never_waits(TL& tl, SeenArgs) {
  const Tile first = tl.zeros({kMost}, DType::u8);
  const Tile second = tl.zeros({kMost}, DType::u8);
  co_return;
}

Task<> never_lets_go(TL& tl, SeenArgs) {
  const Tile tile = co_await tl.load(kBytes, {kMost}, DType::u8);
  co_await tl.load(kBytes, {kMost}, DType::u8);
}

// Each sum's operand is released at once, but is used until the sum is done.
Task<> chain(TL& tl, SeenArgs args) {
  Tile x = tl.zeros({400 << 10}, DType::u8);
  *args.first = tl.clock();
  for (int i = 0; i < 4; ++i) x = x + x;
  *args.second = tl.clock();
  co_return;
}

Task<> three_tiles(TL& tl, SeenArgs) {
  const Tile a = tl.zeros({300 << 10}, DType::u8);
  const Tile b = tl.zeros({400 << 10}, DType::u8);
  const Tile c = tl.zeros({500 << 10}, DType::u8);
  co_return;
}

struct Outcome {
  Time first{};
  Time second{};
  std::string error;
  std::vector<Time> starts;  // of the PE's operations, in the order of the kernel's lines
};

Outcome run(const config::MachineSpec& spec, Task<> (*kernel)(TL&, SeenArgs),
            std::optional<std::uint64_t> shuffle_ties = {}) {
  Outcome outcome;
  Rig rig{spec, {.shuffle_ties = shuffle_ties}};
  try {
    rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe),
                           bind_kernel("kernel", kernel, SeenArgs{&outcome.first, &outcome.second})));
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::deadlock);
    outcome.error = error.what();
  }
  for (const oplog::Op& op : rig.log.ops(rig.machine->lane(kPe))) outcome.starts.push_back(op.start);
  return outcome;
}

void check_says(const std::string& text, const std::vector<std::string>& parts) {
  CAPTURE(text);
  for (const std::string& part : parts) CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

}  // namespace

TEST_CASE("TcmBudget: room is there at once, when tiles that were let go end, or not while others are held") {
  hw::TcmBudget budget{100_B};
  hw::TcmBudget::Hold a{.bytes = 60_B};
  hw::TcmBudget::Hold b{.bytes = 30_B};
  budget.take(a);
  budget.take(b);
  CHECK(budget.room(10_B, 5_ns) == 5_ns);
  CHECK(budget.room(11_B, 5_ns) == std::nullopt);
  budget.give(a, 5_ns, 20_ns);
  CHECK(budget.room(10_B, 6_ns) == 6_ns);
  CHECK(budget.room(11_B, 6_ns) == 20_ns);
  CHECK(budget.room(71_B, 20_ns) == std::nullopt);
  budget.give(b, 20_ns, 20_ns);
  CHECK(budget.room(100_B, 20_ns) == 20_ns);
  CHECK(budget.held() == 0_B);
}

TEST_CASE("TCM: what doesn't fit is a fault that names the holders by their lines, the largest first") {
  const std::string text = run(tight(config::OnFull::error), three_tiles).error;
  check_says(text, {"(500 KiB) doesn't fit the TCM of sip0.cube0.pe0: 700 KiB of 1 MiB are held",
                    "400 KiB in 1 tile of ", "300 KiB in 1 tile of ", "pe_tcm_budget.cpp:"});
  CHECK(text.find("400 KiB in 1") < text.find("300 KiB in 1"));
}

TEST_CASE("TCM: a tile that was let go but is in use delays the next command, whatever on_full says") {
  for (const config::OnFull on_full : {config::OnFull::error, config::OnFull::stall}) {
    const Outcome outcome = run(tight(on_full), chain);
    CHECK(outcome.error.empty());
    const Time each = 4_ns + Time{1000} * ((400 << 10) / 64);  // of a fill or sum
    // The second sum's tile has room once the first sum has freed the fill's, and so on.
    CHECK(outcome.second - outcome.first > 2 * each);
  }
}

TEST_CASE("TCM: a load that has no room is an error, or with on_full: stall waits until tiles are let go") {
  check_says(run(tight(config::OnFull::error), one_after_the_other).error,
             {"(700 KiB) doesn't fit the TCM", "700 KiB in 1 tile of ", "pe.tcm.on_full: stall"});
  const Outcome outcome = run(tight(config::OnFull::stall), one_after_the_other);
  CHECK(outcome.error.empty());
  CHECK(outcome.second - outcome.first > Time{kMost * 1000 / 256});  // it began after the store
}

TEST_CASE("TCM: a stall that can't end is a deadlock with the holders of tiles") {
  check_says(run(tight(config::OnFull::stall), never_lets_go).error,
             {"deadlock at ", "the commands of kernel on sip0.cube0.pe0 that wait for TCM",
              "a tile of 700 KiB doesn't fit the TCM of sip0.cube0.pe0", "700 KiB in 1 tile of ",
              "pe_tcm_budget.cpp:"});
}

TEST_CASE("TCM: with on_full: stall the command of an engine waits until what is in its way is done") {
  CHECK_FALSE(run(tight(config::OnFull::error), fill_after_store).error.empty());
  const Time stored = run(tight(config::OnFull::stall), one_store).first;
  const Outcome outcome = run(tight(config::OnFull::stall), fill_after_store);
  CHECK(outcome.error.empty());
  const Time fill = 4_ns + Time{1000} * (kMost / 64);
  CHECK(outcome.second == stored + 4_ns + fill);  // it is issued when the store is done
}

TEST_CASE("TCM: all commands after one that waits for room wait, too, and are issued in their order") {
  for (std::optional<std::uint64_t> ties : {std::optional<std::uint64_t>{}, {1}, {2}}) {
    const Time stored = run(tight(config::OnFull::stall), one_store).first;
    const Outcome outcome = run(tight(config::OnFull::stall), many_after_store, ties);
    CHECK(outcome.error.empty());
    CHECK(outcome.second > stored);
    REQUIRE(outcome.starts.size() >= 9);  // fill and store, then what waits
    for (std::size_t i = 2; i < outcome.starts.size(); ++i) CHECK(outcome.starts[i] > stored);
    CHECK(outcome.starts == run(tight(config::OnFull::stall), many_after_store).starts);
  }
}

TEST_CASE("TCM: a stall ends when the kernel's own later lines let go") {
  CHECK(run(tight(config::OnFull::stall), never_waits).error.empty());
  check_says(run(tight(config::OnFull::error), never_waits).error, {"700 KiB in 1 tile of "});
}

TEST_CASE("TCM: what can never fit is a fault at once, and an endless loop is one while it stalls, too") {
  check_says(run(tight(config::OnFull::stall), larger_than_all).error,
             {"(2 MiB) doesn't fit the TCM of sip0.cube0.pe0: 0 B of 1 MiB are held"});
  config::MachineSpec spec = tight(config::OnFull::stall);
  spec.pe.pe_cpu.attrs["max_commands"] = std::int64_t{1000};
  check_says(run(spec, endless).error, {"the kernel has issued 1000 commands: is this an endless loop?"});
}

}  // namespace kbsim::hw::test::pe_tcm_budget_test
