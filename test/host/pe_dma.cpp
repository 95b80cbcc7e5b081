// Moves by a PE's DMA that the host orders, and the record of all orders.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/fabric/i_spans.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/tl.hpp"

#include "program.hpp"

namespace kbsim::host::test::pe_dma_test {
namespace {

using topology::Split;

HostArray counted(Shape shape) {
  return generate(shape, f16, [](std::int64_t i) { return static_cast<double>(i % 2039); });
}

struct MoveArgs {
  std::int64_t elements = 0;
  topology::Region to = topology::Region::hbm;
  hw::Activity* activity = nullptr;
  std::vector<double>* after = nullptr;
};

Task<> moves(Rank& main, MoveArgs args) {
  const HostArray contents = counted({args.elements});
  const Tensor from = co_await main.torch.from_host(contents, {.dp = kOnePe, .name = "from"});
  const Tensor to =
      co_await main.torch.zeros({args.elements}, f16, {.dp = kOnePe, .name = "to", .mem_kind = args.to});
  const auto moved = main.pe_dma({.from = from, .to = to});
  const HostArray after = co_await to.to_host();  // waits for it
  *args.activity = co_await moved;
  *args.after = after.to_doubles();
}

struct CopyArgs {
  Ptr from, to;
  std::int64_t elements = 0;
  Time* took = nullptr;
};

Task<> copies_by_kernel(TL& tl, CopyArgs args) {
  const Time start = tl.clock();
  co_await tl.copy(args.to, args.from, {args.elements});
  *args.took = tl.clock() - start;
}
KBSIM_KERNEL(copies_by_kernel, "a copy by a kernel, timed");

struct KernelCopyArgs {
  std::int64_t elements = 0;
  Time* took = nullptr;
};

Task<> copies(Rank& main, KernelCopyArgs args) {
  const Tensor from = co_await main.torch.zeros({args.elements}, f16, {.dp = kOnePe});
  const Tensor to = co_await main.torch.zeros({args.elements}, f16, {.dp = kOnePe});
  co_await main.launch("copies_by_kernel", to, CopyArgs{from.ptr(), to.ptr(), args.elements, args.took});
}

std::vector<hw::OrderRecord> orders_of(Program& program, hw::OrderPhase phase) {
  std::vector<hw::OrderRecord> all = hw::host_of(program.session.machine()).orders();
  std::erase_if(all, [&](const hw::OrderRecord& order) { return order.phase != phase; });
  return all;
}

// Every PE of cube 0 moves the first quarter of a tensor that all see to another.
Task<> moves_on_all(Rank& main, std::vector<double>* after) {
  const HostArray contents = counted({4, 64});
  const topology::DPPolicy rows{.cube = Split::row_wise, .num_pes = 1};
  const Tensor from = co_await main.torch.from_host(contents, {.dp = rows, .name = "from", .shared = true});
  const Tensor to = co_await main.torch.zeros({4, 64}, f16, {.dp = rows, .name = "to", .shared = true});
  std::vector<Work<hw::Activity>> moved;
  for (int i = 0; i < 4; ++i)
    moved.push_back(main.pe_dma({.from = from[3 - i], .to = to[i], .cube = i, .pe = 1}));
  for (const auto& each : moved) co_await each;
  const HostArray found = co_await to.to_host();
  *after = found.to_doubles();
}

struct SpinArgs {
  Ptr x;
};

Task<> spins(TL& tl, SpinArgs) {
  Tile x = tl.zeros({32, 32}, f32);
  for (int i = 0; i < 1000; ++i) x = x + 1.0;
  co_await tl.sync();
}
KBSIM_KERNEL(spins, "keeps its PE busy");

struct Ends {
  hw::Activity kernel;
  hw::Activity move;
};

Task<> moves_beside_a_kernel(Rank& main, Ends* ends) {
  const Tensor from = co_await main.torch.zeros({64}, f16, {.dp = kOnePe});
  const Tensor to = co_await main.torch.zeros({64}, f16, {.dp = kOnePe});
  const auto kernel = main.launch("spins", from, SpinArgs{from.ptr()});
  const auto move = main.pe_dma({.from = from, .to = to});
  ends->move = co_await move;
  ends->kernel = co_await kernel;
}

// The transfers of the DMA, in the order in which they begin.
class Transfers final : public hw::ISpans {
 public:
  struct Row {
    Bytes bytes;
    Time start{};
    Time end{};
  };
  void add(const hw::Span&) override {}
  void open(const void* key, const hw::Span& span) override {
    if (span.kind != hw::SpanKind::transfer || span.what != "pe_dma") return;
    open_[key] = rows.size();
    rows.push_back({.bytes = span.bytes, .start = span.start});
  }
  void close(const void* key, Time end, const hw::SpanFlow&) override {
    const auto row = open_.find(key);
    if (row == open_.end()) return;
    rows[row->second].end = end;
    open_.erase(row);
  }

  std::vector<Row> rows;

 private:
  std::map<const void*, std::size_t> open_;
};

Task<> moves_what_is_elsewhere(Rank& main, int pe) {
  const Tensor from = co_await main.torch.zeros({64}, f16, {.dp = kOnePe, .name = "from"});
  const Tensor to = co_await main.torch.zeros({64}, f16, {.dp = kOnePe, .name = "to"});
  co_await main.pe_dma({.from = from, .to = to, .pe = pe});
}

Task<> moves_unlike(Rank& main, int) {
  const Tensor from = co_await main.torch.zeros({64}, f16, {.dp = kOnePe, .name = "from"});
  const Tensor to = co_await main.torch.zeros({32}, f16, {.dp = kOnePe, .name = "to"});
  co_await main.pe_dma({.from = from, .to = to});
}

Task<> moves_where_it_writes(Rank& main, int) {
  const Tensor from = co_await main.torch.zeros({4096}, f16, {.dp = kOnePe, .name = "from"});
  const Tensor to = co_await main.torch.zeros({4096}, f16, {.dp = kOnePe, .name = "to"});
  const HostArray contents = counted({4096});
  const auto moved = main.pe_dma({.from = from, .to = to});
  const auto written = to.copy_(contents);
  co_await moved;
  co_await written;
}

}  // namespace

TEST_CASE("checklist 10: the host has a PE's DMA move a tensor, and no kernel runs") {
  for (const std::int64_t elements : {1, 100, 4096, 100'000, 1 << 20}) {
    CAPTURE(elements);
    Program program;
    hw::Activity activity;
    std::vector<double> after;
    program.run(moves, {.elements = elements, .activity = &activity, .after = &after});
    CHECK(after == counted({elements}).to_doubles());
    CHECK(orders_of(program, hw::OrderPhase::kernel).empty());
    const auto moved = orders_of(program, hw::OrderPhase::pe_dma);
    REQUIRE(moved.size() == 1);
    CHECK(moved[0].kernel() == activity.last_end - activity.first_start);
    CHECK(moved[0].pes == 1);
  }
}

TEST_CASE("checklist 10: a tensor is moved into the PE's TCM, or its cube's SRAM") {
  for (const topology::Region to : {topology::Region::tcm, topology::Region::sram}) {
    Program program;
    hw::Activity activity;
    std::vector<double> after;
    program.run(moves, {.elements = 100'000, .to = to, .activity = &activity, .after = &after});
    CHECK(after == counted({100'000}).to_doubles());
  }
}

TEST_CASE("checklist 10: a move takes what a kernel's copy takes, but for the command's dispatch") {
  for (const std::int64_t elements : {16, 128, 4096}) {
    CAPTURE(elements);
    Program move;
    hw::Activity activity;
    std::vector<double> after;
    move.run(moves, {.elements = elements, .activity = &activity, .after = &after});
    Program kernel;
    Time took{};
    kernel.run(copies, {.elements = elements, .took = &took});
    CHECK(activity.last_end - activity.first_start == took - 4_ns);
  }
}

TEST_CASE("checklist 10: a long move reads and writes at once") {
  Program program;
  hw::Activity activity;
  std::vector<double> after;
  constexpr std::int64_t kElements = 1 << 20;
  program.run(moves, {.elements = kElements, .activity = &activity, .after = &after});
  const double gbs = 2.0 * kElements / to_ns(activity.last_end - activity.first_start);
  CHECK(gbs > 0.5 * 0.8 * 256.0 / 2);  // of an HBM slice's effective rate, which reads and writes share
  CHECK(gbs < 0.8 * 256.0 / 2);
}

// 16 requests of 4 KiB may be in flight. A part is read, then written; the next is read once a part has been
// written.
TEST_CASE("checklist 10: a move goes in parts of half of what may be in flight, two of them under way") {
  constexpr Bytes kPart{16 * 4096 / 2};
  constexpr Bytes kLast{10'000};
  Program program;
  Transfers transfers;
  program.session.machine().fabric().record_spans(&transfers);
  hw::Activity activity;
  std::vector<double> after;
  program.run(moves, {.elements = (3 * kPart + kLast).count() / 2, .activity = &activity, .after = &after});
  const auto& rows = transfers.rows;
  REQUIRE(rows.size() == 8);
  // Two reads begin; each write that begins follows a read, and each further read a write.
  const std::vector<std::pair<std::size_t, Bytes>> reads{{0, kPart}, {1, kPart}, {4, kPart}, {5, kLast}};
  const std::vector<std::pair<std::size_t, Bytes>> writes{{2, kPart}, {3, kPart}, {6, kPart}, {7, kLast}};
  for (const auto& [row, bytes] : reads) CHECK(rows[row].bytes == bytes);
  for (const auto& [row, bytes] : writes) CHECK(rows[row].bytes == bytes);
  CHECK(rows[0].start == rows[1].start);
  for (std::size_t i = 0; i < reads.size(); ++i)
    CHECK(rows[writes[i].first].start == rows[reads[i].first].end + 1_ns);  // by the MMU
  for (std::size_t i = 2; i < reads.size(); ++i)
    CHECK(rows[reads[i].first].start == rows[writes[i - 2].first].end + 1_ns);
  CHECK(activity.last_end == rows.back().end);
}

TEST_CASE("checklist 10: PEs move what others have, if their MMUs map it; order of events or not") {
  std::vector<double> expected = counted({4, 64}).to_doubles();
  for (std::ptrdiff_t i = 0; i < 2; ++i)
    std::swap_ranges(expected.begin() + i * 64, expected.begin() + (i + 1) * 64,
                     expected.begin() + (3 - i) * 64);
  std::optional<std::uint64_t> digest;
  for (const std::optional<std::uint64_t> ties : {std::optional<std::uint64_t>{}, {1}, {2}}) {
    Program program{machine(1), allreduce(), {.shuffle_ties = ties}};
    std::vector<double> after;
    program.run(moves_on_all, &after);
    CHECK(after == expected);
    if (!digest) digest = program.session.machine().digest().value();
    CHECK(program.session.machine().digest().value() == *digest);
  }
}

TEST_CASE("checklist 10: a kernel that keeps the PE busy doesn't delay it") {
  Program program;
  Ends ends;
  program.run(moves_beside_a_kernel, &ends);
  CHECK(ends.move.last_end < ends.kernel.last_end);
  CHECK(ends.move.first_start < ends.kernel.last_end);
}

TEST_CASE("checklist 10: what isn't mapped, isn't there or isn't alike is refused") {
  CHECK(Program{}
            .error(moves_what_is_elsewhere, 1, ExitCode::deadlock)
            .find("is not mapped on sip0.cube0.pe1") != std::string::npos);
  CHECK(Program{}
            .error(moves_what_is_elsewhere, 1, ExitCode::deadlock)
            .find("; sip0.cube0.pe0 has it: a PE sees its own part of a tensor, and all of one that is made "
                  "with .shared = true") != std::string::npos);
  CHECK(Program{}
            .error(moves_what_is_elsewhere, 2, ExitCode::usage)
            .ends_with(": pe_dma on cube 0, PE 2: a package has 4 cubes of 2 PEs"));
  CHECK(Program{}
            .error(moves_unlike, 0, ExitCode::usage)
            .ends_with(": pe_dma of 'from' of [64] f16 on device 0 to 'to' of [32] f16 on device 0"));
}

TEST_CASE("checklist 10: a move and a write of the same bytes at once are a data race") {
  const std::string text = Program{}.error(moves_where_it_writes, 0, ExitCode::deadlock);
  CHECK_MESSAGE(text.find("data race at ") != std::string::npos, text);
  CHECK_MESSAGE(text.find("rank0, pe_dma of operation ") != std::string::npos, text);
}

TEST_CASE("checklist 3: a row an order and package: phase, kernel, PEs, and total = kernel + network") {
  Program program;
  Time took{};
  program.run(copies, {.elements = 64, .took = &took});
  const auto launches = orders_of(program, hw::OrderPhase::kernel);
  REQUIRE(launches.size() == 1);
  const hw::OrderRecord& launch = launches[0];
  CHECK(launch.kernel_name == "copies_by_kernel");
  CHECK(launch.sip == 0);
  CHECK(launch.cubes == 1);
  CHECK(launch.pes == 1);
  CHECK(launch.first_pe == 0);
  CHECK(launch.kernel() >= took);
  CHECK(launch.network() > Time{0});
  CHECK(launch.total() == launch.kernel() + launch.network());
  CHECK(orders_of(program, hw::OrderPhase::mmu_map).size() == 2);
  CHECK(orders_of(program, hw::OrderPhase::mmu_unmap).size() == 2);
}

}  // namespace kbsim::host::test::pe_dma_test
