// Races of host programs with their kernels, whatever the times; and accesses that are in order without an
// await.
#include <doctest/doctest.h>

#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

namespace kbsim::host::test::races_test {
namespace {

const topology::DPPolicy kTwoPes{.cube = topology::Split::row_wise, .num_cubes = 2, .num_pes = 1};
constexpr std::int64_t kElements = 1024;

struct ToArgs {
  Ptr data;
};

Task<> races_stores(TL& tl, ToArgs args) {
  if (tl.program_id(1) == 0) co_await tl.store(args.data, tl.zeros({kElements}, f16));
}
KBSIM_KERNEL(races_stores, "PE 0 of cube 0 fills some memory");

Task<> races_loads(TL& tl, ToArgs args) {
  if (tl.program_id(1) == 1) co_await tl.load(args.data, {kElements}, f16);
}
KBSIM_KERNEL(races_loads, "PE 0 of cube 1 loads some memory");

Task<> races_own(TL& tl, ToArgs args) {
  const Ptr mine = args.data + tl.program_id(1) * (kElements / 2);
  const Tile x = co_await tl.load(mine, {kElements / 2}, f16);
  co_await tl.store(mine, x + 1.0);
}
KBSIM_KERNEL(races_own, "each PE works on what is its own");

struct How {
  bool waits = false;
  bool far = false;
};

struct Tensors {
  Tensor on;    // whose PEs run the kernels
  Tensor data;  // that all PEs see
};

Task<Tensors> tensors(Rank& main) {
  const Tensor on = co_await main.torch.zeros({2, kElements / 2}, f16, {.dp = kTwoPes, .name = "on"});
  const Tensor data =
      co_await main.torch.zeros({kElements}, f16, {.dp = kOnePe, .name = "data", .shared = true});
  co_return Tensors{on, data};
}

template <class T>
Task<> goes_on(Rank* main, const Work<T>* work, How how, bool before) {
  if (before == how.waits) (void)co_await *work;
  if (before && how.far) co_await main->session().sim().delay(1000_us);
}

Task<> two_launches(Rank& main, How how) {
  const Tensors t = co_await tensors(main);
  const auto first = main.launch("races_stores", t.on, ToArgs{t.data.ptr()});
  co_await goes_on(&main, &first, how, true);
  co_await main.launch("races_loads", t.on, ToArgs{t.data.ptr()});
  co_await goes_on(&main, &first, how, false);
}

Task<> launch_and_read(Rank& main, How how) {
  const Tensors t = co_await tensors(main);
  const auto first = main.launch("races_stores", t.on, ToArgs{t.data.ptr()});
  co_await goes_on(&main, &first, how, true);
  (void)co_await t.data.to_host();
  co_await goes_on(&main, &first, how, false);
}

Task<> copy_and_launch(Rank& main, How how) {
  const Tensors t = co_await tensors(main);
  const auto first = t.data.copy_(full({kElements}, 1.0, f16));
  co_await goes_on(&main, &first, how, true);
  co_await main.launch("races_loads", t.on, ToArgs{t.data.ptr()});
  co_await goes_on(&main, &first, how, false);
}

Task<> kernel_and_copy(Rank& main, How how) {
  const Tensors t = co_await tensors(main);
  const auto first = main.launch("races_loads", t.on, ToArgs{t.data.ptr()});
  co_await goes_on(&main, &first, how, true);
  co_await t.data.copy_(full({kElements}, 1.0, f16));
  co_await goes_on(&main, &first, how, false);
}

Task<> pe_dma_and_kernel(Rank& main, How how) {
  const Tensors t = co_await tensors(main);
  const Tensor from = co_await main.torch.zeros({kElements}, f16, {.dp = kOnePe, .name = "from"});
  const auto first = main.pe_dma({.from = from, .to = t.data});
  co_await goes_on(&main, &first, how, true);
  co_await main.launch("races_loads", t.on, ToArgs{t.data.ptr()});
  co_await goes_on(&main, &first, how, false);
}

// A launch comes after the operations on the tensors that it names: no await is needed.
Task<> as_on_a_stream(Rank& main, How how) {
  const Tensors t = co_await tensors(main);
  const auto copied = t.data.copy_(full({kElements}, 1.0, f16));
  if (how.far) co_await main.session().sim().delay(1000_us);
  const auto loaded = main.launch("races_loads", {t.on, t.data}, ToArgs{t.data.ptr()});
  if (how.far) co_await main.session().sim().delay(1000_us);
  const auto again = t.data.copy_(full({kElements}, 2.0, f16));
  if (how.far) co_await main.session().sim().delay(1000_us);
  (void)co_await t.data.to_host();
  co_await copied;
  (void)co_await loaded;
  co_await again;
}

// A PE takes the launches of a rank in turn.
Task<> own_parts(Rank& main, How how) {
  const Tensors t = co_await tensors(main);
  const auto first = main.launch("races_own", t.on, ToArgs{t.on.ptr()});
  if (how.far) co_await main.session().sim().delay(1000_us);
  const auto second = main.launch("races_own", t.on, ToArgs{t.on.ptr()});
  (void)co_await t.on.to_host();
  (void)co_await first;
  (void)co_await second;
}

// Freed memory becomes another tensor's.
Task<> memory_again(Rank& main, How how) {
  for (int i = 0; i < 3; ++i) {
    const Tensors t = co_await tensors(main);
    co_await main.launch("races_stores", t.on, ToArgs{t.data.ptr()});
    if (how.far) co_await main.session().sim().delay(1000_us);
  }
}

struct OfRank {
  std::vector<Tensor> data;
  How how;
};

// All ranks see each other's work after a barrier, if they have awaited their own.
Task<> rank_of_two(Rank& rk, OfRank args) {
  const Tensor mine = args.data[static_cast<std::size_t>(rk.index)];
  const auto copied = mine.copy_(full({kElements}, 1.0, f16));
  if (args.how.waits) co_await copied;
  co_await rk.dist.barrier();
  if (args.how.far) co_await rk.session().sim().delay(1000_us);
  (void)co_await args.data[static_cast<std::size_t>(1 - rk.index)].to_host();
  co_await copied;
}

Task<> ranks_and_barrier(Rank& main, How how) {
  co_await main.dist.init_process_group({});
  std::vector<Tensor> data;
  for (const char* name : {"zero", "one"}) {
    const Tensor one = co_await main.torch.zeros({kElements}, f16, {.dp = kOnePe, .name = name});
    data.push_back(one);
  }
  co_await main.mp.spawn(rank_of_two, OfRank{data, how}, {.nprocs = 2});
  (void)co_await data[0].to_host();
}

using HostProgramOf = Task<> (*)(Rank&, How);

void check_fine(HostProgramOf program, bool waits = true) {
  for (const bool far : {false, true}) {
    CAPTURE(far);
    Program{}.run(program, How{.waits = waits, .far = far});
  }
}

void check_reported(HostProgramOf program, const std::string& missing) {
  check_fine(program);
  for (const bool far : {false, true}) {
    CAPTURE(far);
    const std::string text = Program{}.error(program, How{.far = far}, ExitCode::deadlock);
    CAPTURE(text);
    CHECK(text.find("data race at ") != std::string::npos);
    CHECK(text.find(missing) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("Races of a host: kernels of two launches; it hasn't awaited the first") {
  check_reported(two_launches, "kernel races_loads on sip0.cube1.pe0, load of operation ");
}

TEST_CASE("Races of a host: its reads and writes of memory that a kernel works on and wasn't named to") {
  check_reported(launch_and_read, "host program of rank 0, read");
  check_reported(copy_and_launch, "host program of rank 0, write of operation ");
  check_reported(kernel_and_copy, "host program of rank 0, write of operation ");
}

TEST_CASE("Races of a host: a move by a DMA beside a kernel") { check_reported(pe_dma_and_kernel, "pe_dma"); }

TEST_CASE("Races of a host: what is called on a tensor comes after what writes it") {
  check_fine(as_on_a_stream);
  check_fine(own_parts);
  check_fine(memory_again);
}

TEST_CASE("Races of a host: ranks know by a barrier what the others have awaited") {
  check_fine(ranks_and_barrier);
}

}  // namespace kbsim::host::test::races_test
