// How queues are set up: by package or PE after PE, in a process group or by a program for itself.
#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/host/pointer_dump.hpp"
#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

namespace kbsim::host::test::install_test {
namespace {

constexpr int kPes = 8;
constexpr std::int64_t kShard = 8;

config::MachineSpec with_eight_pes() {
  config::MachineSpec spec;
  spec.system.sips.count = 2;
  spec.sip.cube_mesh = {.w = 2, .h = 1};
  return spec;
}

config::AlgorithmSpec ring_of_pes(int world_size, config::Install install = config::Install::package) {
  config::AlgorithmSpec spec;
  spec.name = "ring_allreduce_tcm";
  spec.kernel = "ring_allreduce";
  spec.topology = "ring_1d";
  spec.world_size = world_size;
  spec.install = install;
  return spec;
}

Task<> initializes(Rank& main, Time* took) {
  const Time start = main.session().sim().now();
  co_await main.dist.init_process_group({});
  *took = main.session().sim().now() - start;
}

double install_ns(int world_size, config::Install install) {
  Time took{};
  Program program{with_eight_pes(), ring_of_pes(world_size, install)};
  program.run(initializes, &took);
  return to_ns(took);
}

struct CopyInArgs {
  Ptr from;
  Ptr to;
};

Task<> copies_in(TL& tl, CopyInArgs args) {
  const std::int64_t own = tl.program_id(0) * kShard;
  auto sent = tl.send({.dir = Dir::E, .src = args.from + own, .shape = {kShard}});
  co_await tl.recv({.dir = Dir::W, .shape = {kShard}, .dst = args.to + own});
  co_await sent;
}
KBSIM_KERNEL(copies_in, "memory to the east's memory");

const TensorOptions kByPe{.dp = {.pe = topology::Split::column_wise, .num_cubes = 1}};

// No process group at all.
Task<> installs_and_launches(Rank& main, std::vector<double>* after) {
  const auto plans = co_await main.install_ipcq("ring_allreduce_tcm", kPes);
  CHECK(plans.front().pes.size() == kPes);
  CHECK(!main.dist.is_initialized());
  const HostArray contents =
      generate({1, kPes * kShard}, f16, [](std::int64_t i) { return static_cast<double>(i / kShard + 1); });
  Tensor from = co_await main.torch.from_host(contents, kByPe);
  Tensor to = co_await main.torch.zeros({1, kPes * kShard}, f16, kByPe);
  std::vector<Tensor> tensors{to, from};
  co_await main.launch("copies_in", tensors, CopyInArgs{.from = from.ptr(), .to = to.ptr()});
  const HostArray result = co_await to.to_host();
  *after = result.to_doubles();
}

struct NothingToSayArgs {};

Task<> receives_without_sender(TL& tl, NothingToSayArgs) {
  if (tl.program_id(0) == 1) co_await tl.recv({.dir = Dir::W, .shape = {8}});
}
KBSIM_KERNEL(receives_without_sender, "PE 1 waits for what PE 0 never sends");

Task<> gets_stuck(Rank& main, int) {
  (void)co_await main.install_ipcq("ring_allreduce_tcm", kPes);
  Tensor x = co_await main.torch.zeros({1, kPes * kShard}, f16, kByPe);
  co_await main.launch("receives_without_sender", x, NothingToSayArgs{});
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("checklist 20: install per_pe takes a time in proportion to the PEs; by package it hardly grows") {
  const double four = install_ns(4, config::Install::per_pe);
  const double eight = install_ns(8, config::Install::per_pe);
  const double sixteen = install_ns(16, config::Install::per_pe);
  CHECK(eight / four == doctest::Approx(2.0).epsilon(0.1));
  CHECK(sixteen / four == doctest::Approx(4.0).epsilon(0.1));
  const double together = install_ns(4, config::Install::package);
  CHECK(install_ns(16, config::Install::package) < 1.5 * together);
  CHECK(together < four / 2);
}

TEST_CASE("checklist 20: install_ipcq sets up queues outside of a process group") {
  std::vector<double> after;
  Program program{with_eight_pes(), ring_of_pes(0)};
  program.run(installs_and_launches, &after);
  REQUIRE(after.size() == kPes * kShard);
  for (std::size_t i = 0; i < after.size(); ++i)
    CHECK(after[i] == static_cast<double>((i / kShard + kPes - 1) % kPes + 1));
}

TEST_CASE("checklist 19: a deadlock report has the rings of those that wait, decoded, by direction") {
  Program program{with_eight_pes(), ring_of_pes(0)};
  const std::string text = program.error(gets_stuck, 0, ExitCode::deadlock);
  CAPTURE(text);
  CHECK(has(text,
            "\nrings:\n  sip0.cube0.pe1 E ring sip0.cube0.pe1 ipcq+0x0 peer sip0.cube0.pe2 W "
            "sip0.cube0.pe2 ipcq+0x4000\n  sip0.cube0.pe1 W ring sip0.cube0.pe1 ipcq+0x4000 peer "
            "sip0.cube0.pe0 E sip0.cube0.pe0 ipcq+0x0"));
}

TEST_CASE("checklist 19: the pointer dump of a program has counters, blocked PEs, and addresses") {
  Program program{with_eight_pes(), ring_of_pes(0)};
  CHECK(pointer_dump(program.session.machine()).empty());
  (void)program.error(gets_stuck, 0, ExitCode::deadlock);
  const std::string dump = pointer_dump(program.session.machine());
  CAPTURE(dump);
  CHECK(std::ranges::count(dump, '\n') == 2 * kPes);
  CHECK(has(dump,
            "sip0.cube0.pe1 W: my_head=0 my_tail=0 peer_head_cache=0 peer_tail_cache=0 n_slots=4 "
            "sends_waiting=0 recvs_waiting=1 ring sip0.cube0.pe1 ipcq+0x4000 peer sip0.cube0.pe0 E "
            "sip0.cube0.pe0 ipcq+0x0\n"));
}

}  // namespace kbsim::host::test::install_test
