#include <doctest/doctest.h>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

constexpr PeCoord kFirst{0, 0, 0};

struct NoArgs {};

Task<> waits_without_sender(TL& tl, NoArgs) {
  auto got = tl.recv({.dir = Dir::E, .shape = {8}});
  [[maybe_unused]] const auto result = co_await got;
}

Task<> unknown_direction(TL& tl, NoArgs) {
  auto got = tl.recv({.dir = {"up"}, .shape = {8}});
  [[maybe_unused]] const auto result = co_await got;
}

Task<> drops_a_recv(TL& tl, NoArgs) {
  static_cast<void>(tl.recv({.dir = Dir::E, .shape = {8}}));
  co_return;
}

Task<> too_large(TL& tl, NoArgs) {
  static_cast<void>(tl.zeros({1 << 20, 8}));
  co_return;
}

using Kernel = Task<> (*)(TL&, NoArgs);

Task<> run_on_first(Rank& main, Kernel kernel) {
  co_await main.dist.init_process_group({});
  auto job = std::make_shared<hw::ControlJob>();
  auto call = std::make_shared<const KernelCall>(bind_kernel("kernel", kernel, NoArgs{}));
  job->targets.push_back({.pe = kFirst, .action = hw::Launch{call}, .size = {}});
  [[maybe_unused]] const auto result = co_await hw::host_of(main.session().machine()).order(0, 0, job);
}

void ends_with_exit_8(Kernel kernel, const std::vector<std::string>& says) {
  Program program;
  const std::string text = program.error(run_on_first, kernel, ExitCode::deadlock);
  CAPTURE(text);
  for (const std::string& part : says) CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

}  // namespace

TEST_CASE("Kernel: one that waits for a tile that is never sent is a deadlock with its line and its queue") {
  ends_with_exit_8(waits_without_sender,
                   {"deadlock at ", "kernel on sip0.cube0.pe0 waits for event recv E since ",
                    "kernel_faults.cpp:", "sip0.cube0.pe0 E with sip0.cube1.pe0 W: ", "recvs_waiting 1"});
}

TEST_CASE("Kernel: its faults name the kernel, the PE, the time and the line") {
  ends_with_exit_8(unknown_direction, {"kernel kernel on sip0.cube0.pe0 at ",
                                       "kernel_faults.cpp:", "no queue 'up' on sip0.cube0.pe0; installed: "});
  ends_with_exit_8(too_large, {"kernel kernel on sip0.cube0.pe0 at ", "doesn't fit the TCM"});
}

TEST_CASE("Kernel: what it drops without having awaited it is a fault when it ends") {
  ends_with_exit_8(drops_a_recv, {"kernel kernel on sip0.cube0.pe0 at ", "kernel_faults.cpp:",
                                  "recv E was never awaited; co_await it, or detach() it"});
}
