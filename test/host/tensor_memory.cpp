#include <optional>

#include <doctest/doctest.h>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/sim/when_all.hpp"
#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

constexpr PeCoord kFirstPe{0, 0, 0};

Bytes free_hbm(Session& session) { return session.allocators().pe(kFirstPe).hbm.free_bytes(); }

// 2 GiB on each PE: a third of its memory.
Task<> many_large(Rank& rk, int count) {
  for (int i = 0; i < count; ++i) {
    const Tensor x = co_await rk.torch.empty({1 << 20, 1 << 10}, f16, {});
    CHECK(x.ptr().va < topology::kVirtualBase + (std::uint64_t{8} << 30));
  }
}

Task<> too_large(Rank& rk, std::string* error) {
  try {
    const Tensor x = co_await rk.torch.empty({1 << 20, 1 << 14}, f16, {.name = "large"});
  } catch (const AllocationError& full) {
    *error = full.what();
  }
  Tensor y = co_await rk.torch.full({4}, 1.0, f16, {});
  const HostArray read = co_await y.to_host();
  CHECK(read.to_doubles() == std::vector<double>(4, 1.0));
}

Task<> one_after_the_other(Rank& rk, int) {
  const Tensor kept = co_await rk.torch.empty({8}, f16, {.dp = kOnePe, .name = "kept"});
  co_await rk.session().sim().delay(10_ns);
  {
    const Tensor x = co_await rk.torch.zeros({64, 8}, f16, {.dp = kOnePe, .name = "x"});
    co_await rk.session().sim().delay(5_us);
  }
  co_await rk.session().sim().delay(50_us);
}

Task<> load_one(TL& tl, Ptr from) {
  auto loaded = tl.load(from, {8}, from.dtype);
  [[maybe_unused]] const auto result = co_await loaded;
}

Task<> launch_on_first(Session* session, Ptr argument) {
  auto job = std::make_shared<hw::ControlJob>();
  auto kernel = std::make_shared<const KernelCall>(bind_kernel("load_one", load_one, argument));
  job->targets.push_back({.pe = kFirstPe, .action = hw::Launch{kernel}, .size = {}});
  [[maybe_unused]] const auto result = co_await hw::host_of(session->machine()).order(0, 0, job);
}

Task<> use_then_free_then_use(Rank& rk, bool* used) {
  Ptr dangling;
  {
    const Tensor x = co_await rk.torch.zeros({8}, f16, {.dp = kOnePe});
    dangling = x.ptr();
    co_await launch_on_first(&rk.session(), dangling);
    *used = true;
  }
  co_await rk.session().sim().delay(1000_us);
  co_await launch_on_first(&rk.session(), dangling);
}

// Unmapped on the first PE, but not yet on all.
Task<> use_while_it_goes(Rank& rk, int) {
  Ptr dangling;
  {
    const Tensor x = co_await rk.torch.zeros({8}, f16, {.dp = kOnePe, .name = "x", .shared = true});
    dangling = x.ptr();
  }
  co_await launch_on_first(&rk.session(), dangling);
}

// Uses the address `elements` elements after the first of x.
Task<> use_beyond(Rank& rk, std::int64_t elements) {
  const Tensor x = co_await rk.torch.zeros({8}, f16, {.dp = kOnePe, .name = "x"});
  co_await launch_on_first(&rk.session(), x.ptr() + elements);
}

Task<> wait_for_word(TL& tl, Ptr word) { co_await tl.wait_signal({.signal = word, .at_least = 3}); }

// Waits for the third of eight words; with `goes`, their tensor is freed meanwhile.
Task<> use_as_signal(Rank& rk, bool goes) {
  std::optional<Tensor> x = co_await rk.torch.zeros({8}, i32, {.dp = kOnePe, .name = "x"});
  auto job = std::make_shared<hw::ControlJob>();
  auto kernel = std::make_shared<const KernelCall>(bind_kernel("wait_for_word", wait_for_word, x->ptr() + 2));
  job->targets.push_back({.pe = kFirstPe, .action = hw::Launch{kernel}, .size = {}});
  auto order = hw::host_of(rk.session().machine()).order(0, 0, job);
  co_await rk.session().sim().delay(10_us);
  if (goes) x.reset();
  [[maybe_unused]] const auto result = co_await std::move(order);
}

Task<> store_and_load(TL& tl, Ptr at) {
  auto stored = tl.store(at, tl.zeros({4}, at.dtype));
  [[maybe_unused]] const auto loaded = co_await tl.load(at, {4}, at.dtype);
  co_await stored;
}

Task<> use_in_a_race(Rank& rk, int) {
  const Tensor x = co_await rk.torch.zeros({8}, f16, {.dp = kOnePe, .name = "x"});
  const Tensor y = co_await rk.torch.zeros({8}, f16, {.dp = kOnePe, .name = "y"});
  auto job = std::make_shared<hw::ControlJob>();
  auto kernel =
      std::make_shared<const KernelCall>(bind_kernel("store_and_load", store_and_load, y.ptr() + 4));
  job->targets.push_back({.pe = kFirstPe, .action = hw::Launch{kernel}, .size = {}});
  [[maybe_unused]] const auto result = co_await hw::host_of(rk.session().machine()).order(0, 0, job);
}

// Uses an element that lies on another PE.
Task<> use_of_another(Rank& rk, int) {
  const Tensor x =
      co_await rk.torch.zeros({2, 8}, f16, {.dp = {.pe = topology::Split::row_wise, .num_cubes = 1}});
  co_await launch_on_first(&rk.session(), x.ptr() + 8);
}

Task<> wrong_copy(Rank& rk, HostArray contents) {
  const Tensor x = co_await rk.torch.zeros({4, 2}, f16, {.name = "x"});
  co_await x.copy_(std::move(contents));
}

Task<> no_elements(Rank& rk, Shape shape) {
  [[maybe_unused]] const auto result = co_await rk.torch.zeros(shape, f16, {.name = "x"});
}

// Placements on several cubes, on one PE, and shared: their unmappings are messages of different sizes.
Task<> drop_several(Rank& main) {
  const Tensor a = co_await main.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  const Tensor b = co_await main.torch.full({4, 8}, 2.0, f16, {.dp = kOnePe});
  const Tensor c = co_await main.torch.full({4, 8}, 3.0, f16, {.dp = kRows, .shared = true});
}

}  // namespace

namespace {

Task<> make(Rank& rk, std::int64_t n, std::string* where) {
  const Tensor x = co_await rk.torch.full({n}, 1.0, f16, {.dp = kOnePe});
  *where = to_string(x.shards().front().pa);
  const HostArray back = co_await x.to_host();
}

Task<> several_at_once(Rank& rk, std::vector<std::string>* where) {
  where->resize(3);
  co_await when_all(make(rk, 1000, &(*where)[0]), make(rk, 70, &(*where)[1]), make(rk, 5000, &(*where)[2]));
}

}  // namespace

TEST_CASE(
    "Tensor: several made at one time have their memory in the program's order, in any order of events") {
  std::vector<std::string> places;
  std::string digest;
  for (std::uint64_t seed = 0; seed <= 10; ++seed) {
    Program program{machine(), allreduce(), {.shuffle_ties = seed > 0 ? std::optional{seed} : std::nullopt}};
    std::vector<std::string> now;
    program.run(several_at_once, &now);
    const std::string left = to_string(program.session.machine().digest());
    if (seed == 0) places = now, digest = left;
    CAPTURE(seed);
    CHECK(now == places);
    CHECK(left == digest);
  }
}

TEST_CASE("Tensor memory: the session has each tensor's bytes, when it got them, and when they were free") {
  Program program;
  program.run(one_after_the_other, 0);
  const std::vector<topology::MemoryChange>& changes = program.session.memory_changes();
  REQUIRE(changes.size() == 4);
  const auto is = [&](std::size_t i, const char* name, Bytes bytes, bool freed) {
    CAPTURE(i);
    CHECK(changes[i].name == name);
    CHECK(changes[i].bytes == bytes);
    CHECK(changes[i].most == bytes);
    CHECK(changes[i].places == 1);
    CHECK(changes[i].memory == topology::Region::hbm);
    CHECK(changes[i].freed == freed);
  };
  is(0, "kept", 16_B, false);
  is(1, "x", 1_KiB, false);
  is(2, "x", 1_KiB, true);
  is(3, "kept", 16_B, true);
  CHECK(changes[1].at > changes[0].at + 10_ns);  // after the mapping of the first one, and the wait
  CHECK(changes[2].at > changes[1].at + 5_us);   // zeros, the wait, and then the unmapping
  CHECK(changes[3].at >= changes[2].at);
}

TEST_CASE("Tensor: memory and addresses of those that are gone serve new ones") {
  Program program;
  const Bytes hbm = free_hbm(program.session);
  const Bytes va = program.session.virtual_memory(0).free_bytes();
  program.run(many_large, 20);
  CHECK(free_hbm(program.session) == hbm);
  CHECK(program.session.virtual_memory(0).free_bytes() == va);
}

TEST_CASE("Tensor: one that doesn't fit says so, takes nothing, and leaves the others be") {
  Program program;
  const Bytes hbm = free_hbm(program.session);
  std::string error;
  program.run(too_large, &error);
  CHECK_MESSAGE(error.starts_with("tensor_memory.cpp:"), error);
  CHECK_MESSAGE(error.find(": empty: no room for tensor 'large', [1048576, 16384] f16: sip0.cube0.pe0 hbm: "
                           "asked for 32 GiB") != std::string::npos,
                error);
  CHECK(free_hbm(program.session) == hbm);
}

TEST_CASE("Tensor: it is mapped while it lives and unmapped afterwards") {
  bool used = false;
  Program program;
  const std::string text = program.error(use_then_free_then_use, &used, ExitCode::deadlock);
  CHECK(used);
  CHECK(text.find("kernel load_one on sip0.cube0.pe0") != std::string::npos);
  CHECK(text.find("is not mapped on sip0.cube0.pe0") != std::string::npos);
  CHECK(text.find("tensor_memory.cpp:") != std::string::npos);
  CHECK(text.find("; it is in a tensor, f16 [8], of tensor_memory.cpp:") != std::string::npos);
  CHECK(text.ends_with(", which was freed; keep a handle of it until all that use it have ended"));
}

TEST_CASE("Tensor: one that was freed is reported while other PEs still map it") {
  const std::string text = Program{}.error(use_while_it_goes, 0, ExitCode::deadlock);
  CAPTURE(text);
  CHECK(text.find("is not mapped on sip0.cube0.pe0") != std::string::npos);
  CHECK(text.ends_with(", which was freed; keep a handle of it until all that use it have ended"));
}

TEST_CASE("Tensor: an address beyond it is reported with its name") {
  const std::string behind = Program{}.error(use_beyond, 4, ExitCode::deadlock);
  CAPTURE(behind);
  CHECK(behind.find("; it is right after the end of tensor 'x', f16 [8], of tensor_memory.cpp:") !=
        std::string::npos);
  const std::string before = Program{}.error(use_beyond, -24, ExitCode::deadlock);
  CAPTURE(before);
  CHECK(before.find("; it is 48 B before tensor 'x', f16 [8]") != std::string::npos);
  const std::string others = Program{}.error(use_of_another, 0, ExitCode::deadlock);
  CAPTURE(others);
  CHECK(others.find("; it is in a tensor, f16 [2, 8], of tensor_memory.cpp:") != std::string::npos);
  CHECK(others.find("; sip0.cube0.pe1 has it: a PE sees its own part") != std::string::npos);
  const std::string nowhere = Program{}.error(use_beyond, 100 << 20, ExitCode::deadlock);
  CHECK(nowhere.find("; it is ") == std::string::npos);
}

TEST_CASE("Tensor: a signal in it that never comes is reported with its name") {
  const std::string stays = Program{}.error(use_as_signal, false, ExitCode::deadlock);
  CAPTURE(stays);
  CHECK(stays.find(": no put to it is under way; it is in tensor 'x', i32 [8], of tensor_memory.cpp:") !=
        std::string::npos);
  CHECK(stays.find("freed") == std::string::npos);
  const std::string goes = Program{}.error(use_as_signal, true, ExitCode::deadlock);
  CAPTURE(goes);
  CHECK(goes.find("; it is in tensor 'x', i32 [8], of tensor_memory.cpp:") != std::string::npos);
  CHECK(goes.ends_with(", which was freed"));
}

TEST_CASE("Tensor: a race in it is reported with its name") {
  const std::string text = Program{}.error(use_in_a_race, 0, ExitCode::deadlock);
  CAPTURE(text);
  CHECK(text.find("on 8 B of sip0.cube0.hbm0 from 0x") != std::string::npos);
  CHECK(text.find(", in tensor 'y', f16 [8], of tensor_memory.cpp:") != std::string::npos);
  CHECK(text.find("tensor 'x'") == std::string::npos);
}

TEST_CASE("Tensor: copy_ refuses another shape or dtype, naming both") {
  const std::string shape = Program{}.error(wrong_copy, host::full({2, 4}, 0.0, f16), ExitCode::usage);
  CHECK(shape.ends_with("copy_ of [2, 4] f16 into tensor 'x' of [4, 2] f16"));
  const std::string dtype = Program{}.error(wrong_copy, host::full({4, 2}, 0.0, f32), ExitCode::usage);
  CHECK(dtype.ends_with("copy_ of [4, 2] f32 into tensor 'x' of [4, 2] f16"));
}

TEST_CASE("Tensor: one without elements, or with a negative extent, is refused") {
  for (const Shape shape : {Shape{0}, Shape{4, 0}, Shape{-1}}) {
    CHECK(!Program{}.error(no_elements, shape, ExitCode::usage).empty());
  }
}

TEST_CASE("Tensor memory: tensors that go at one time go in order, whatever the order of other events") {
  const auto ends = [](std::optional<std::uint64_t> shuffle) {
    Session session{machine(1), allreduce(), {.simulation = {.shuffle_ties = shuffle}, .replay_threads = 1}};
    World world;
    Rank main{session, world, 0};
    (void)session.sim().spawn("main", main.run(drop_several(main)));
    session.run();
    return std::pair{session.sim().now(), session.machine().digest().value()};
  };
  const auto in_order = ends({});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) CHECK(ends(seed) == in_order);
}
