#include <chrono>
#include <stdexcept>

#include <doctest/doctest.h>

#include "kbsim/sim/deadlock.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::kernel_faults_test {
namespace {

constexpr PeCoord kSender{0, 0, 0};
constexpr PeCoord kReceiver{0, 1, 0};
constexpr Ptr kHere{.va = kVa, .dtype = f16};

struct NoArgs {};
using Kernel = Task<> (*)(TL&, NoArgs);

Task<> nothing(TL&, NoArgs) { co_return; }
Task<> too_large(TL& tl, NoArgs) { co_await tl.send({.dir = {"to"}, .src = tl.zeros({2000}, f16)}); }
Task<> nowhere(TL& tl, NoArgs) { co_await tl.send({.dir = {"up"}, .src = tl.zeros({8}, f16)}); }
Task<> unmapped(TL& tl, NoArgs) { co_await tl.load(Ptr{.va = 0x7700'0000, .dtype = f16}, {8}, f16); }
Task<> send_8(TL& tl, NoArgs) { co_await tl.send({.dir = {"to"}, .src = tl.zeros({8}, f16), .tag = 5}); }
Task<> recv_16(TL& tl, NoArgs) { co_await tl.recv({.dir = {"from"}, .shape = {16}, .tag = 5}); }
Task<> recv_f32(TL& tl, NoArgs) { co_await tl.recv({.dir = {"from"}, .shape = {8}, .dtype = f32, .tag = 5}); }
Task<> recv_tag_6(TL& tl, NoArgs) { co_await tl.recv({.dir = {"from"}, .shape = {8}, .tag = 6}); }
Task<> fill_tcm(TL& tl, NoArgs) {
  static_cast<void>(tl.zeros({16 << 20}, DType::u8));
  co_return;
}
Task<> load_too_much(TL& tl, NoArgs) { co_await tl.load(kHere, {1 << 23}, f16); }
Task<> load_too_much_unseen(TL& tl, NoArgs) {
  tl.load(kHere, {1 << 23}, f16).detach();
  co_return;
}
Task<> drop(TL& tl, NoArgs) {
  static_cast<void>(tl.load(kHere, {8}, f16));
  co_return;
}
Task<> throws(TL&, NoArgs) {
  throw std::runtime_error{"no such luck"};
  co_return;
}
Task<> throws_number(TL&, NoArgs) {
  throw 42;
  co_return;
}
Task<> asks_too_much(TL&, NoArgs) {
  throw Unsupported{"not on this machine"};
  co_return;
}
Task<> lonely(TL& tl, NoArgs) { co_await tl.recv({.dir = {"from"}, .shape = {8}}); }

Task<> launch(Rig* rig, PeCoord pe, KernelCall kernel) {
  std::vector<PeCoord> one{pe};
  (void)co_await rig->launch(std::move(one), std::move(kernel));
}

Task<> both(Rig* rig, Kernel sends, Kernel receives) {
  co_await rig->connect(kSender, kReceiver, 2, 1_KiB);
  co_await rig->map(kSender, kVa, in_hbm(*rig->spec, kSender), 32_MiB);
  (void)rig->sim.spawn("receiver", launch(rig, kReceiver, bind_kernel("receives", receives, NoArgs{})));
  co_await launch(rig, kSender, bind_kernel("sends", sends, NoArgs{}));
}

// The text of what a run throws.
std::string fault(Kernel sends, Kernel receives = nothing, ExitCode exit = ExitCode::deadlock) {
  Rig rig{small_machine()};
  try {
    rig.run(both(&rig, sends, receives));
  } catch (const Error& error) {
    CHECK(error.exit_code() == exit);
    return error.what();
  }
  return "no fault";
}

void check_says(const std::string& text, const std::vector<std::string>& parts) {
  CAPTURE(text);
  for (const std::string& part : parts) CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

const std::string kSends = "kernel sends on sip0.cube0.pe0 at ";
const std::string kReceives = "kernel receives on sip0.cube1.pe0 at ";
const std::string kHereFile = "kernel_faults.cpp:";

Task<> install_twice(Rig* rig) {
  co_await rig->connect(kSender, kReceiver, 2, 1_KiB);
  co_await rig->connect(kSender, kReceiver, 2, 1_KiB);
}

}  // namespace

TEST_CASE("Fault: a payload larger than a slot says both sizes") {
  check_says(fault(too_large), {kSends, kHereFile, "send 'to'", "4000 B do not fit a slot of 1 KiB"});
}

TEST_CASE("Fault: an unknown direction lists those that are installed") {
  check_says(fault(nowhere), {kSends, kHereFile, "no queue 'up' on sip0.cube0.pe0; installed: to"});
}

TEST_CASE("Fault: an unmapped address names the nearest mapping") {
  check_says(fault(unmapped), {kSends, kHereFile, "load of 16 B at 0x77000000", "0x77000000 is not mapped",
                               "nearest mapping: 0x1000"});
}

TEST_CASE("Fault: a tile that isn't what recv asks for is named with both") {
  check_says(fault(send_8, recv_16), {kReceives, kHereFile, "expects [16] f16 with tag 5, but [8] f16"});
  check_says(fault(send_8, recv_f32), {kReceives, kHereFile, "expects [8] f32", "but [8] f16 with tag 5"});
  check_says(fault(send_8, recv_tag_6), {kReceives, kHereFile, "with tag 6, but [8] f16 with tag 5"});
}

TEST_CASE(
    "Fault: a tile that the TCM has no room for names the command's line, be it an engine's or a load") {
  check_says(fault(fill_tcm),
             {kSends, kHereFile, "a tile of u8 [16777216] (16 MiB) doesn't fit the TCM of sip0.cube0.pe0"});
  check_says(fault(load_too_much), {kSends, kHereFile, "a tile of f16 [8388608] (16 MiB) doesn't fit the TCM",
                                    "take smaller tiles"});
  check_says(fault(load_too_much_unseen),
             {kSends, kHereFile, "a tile of f16 [8388608] (16 MiB) doesn't fit the TCM"});
}

TEST_CASE("Fault: a dropped Pending is named with its line when the kernel ends") {
  check_says(fault(drop), {kSends, kHereFile, "load was never awaited"});
}

TEST_CASE(
    "Fault: any exception of a kernel is reported with the kernel, its PE and the time, and keeps its exit "
    "code") {
  check_says(fault(throws), {kSends, " ns: no such luck"});
  check_says(fault(throws_number), {kSends, " ns: threw an object of type int, which is no std::exception"});
  check_says(fault(asks_too_much, nothing, ExitCode::unsupported), {kSends, " ns: not on this machine"});
}

TEST_CASE("Fault: queues are installed once") {
  Rig rig{small_machine()};
  std::string text;
  try {
    rig.run(install_twice(&rig));
  } catch (const Error& error) {
    text = error.what();
  }
  check_says(text, {"sip0.cube0.pe0.pe_ipcq at ", "the queues of sip0.cube0.pe0 are installed already"});
}

TEST_CASE("Deadlock: a recv without a send names kernel, PE, what it waits for and its line, at once") {
  Rig rig{small_machine()};
  const auto start = std::chrono::steady_clock::now();
  try {
    rig.run(both(&rig, nothing, lonely));
    FAIL("no deadlock");
  } catch (const DeadlockError& deadlock) {
    const auto& all = deadlock.waiting();
    const auto kernel = std::ranges::find(all, "receives on sip0.cube1.pe0", &Waiting::process);
    REQUIRE(kernel != all.end());
    CHECK(kernel->what == "event recv from");
    CHECK(kernel->at.front().file.ends_with("kernel_faults.cpp"));
    CHECK(kernel->at.front().line > 0);
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds{1});
}

}  // namespace kbsim::hw::test::kernel_faults_test
