// The machine passes the suite of all PE backends.
#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/control/i_host.hpp"

#include "../backend/suite.hpp"
#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;
using namespace kbsim::test;

namespace {

struct Pair {
  BackendKernel first;
  BackendKernel second;
  std::vector<double>* memory;
};

Task<> run_pair(Rank& main, Pair pair) {
  co_await main.dist.init_process_group({});
  const HostArray rows = generate(
      {2, kRow}, f16, [](std::int64_t i) { return static_cast<double>(i < kRow ? i : 100 + i - kRow); });
  const Tensor x = co_await main.torch.from_host(rows, {.dp = kRows});
  auto job = std::make_shared<hw::ControlJob>();
  const auto add = [&](PeCoord pe, KernelCall call) {
    job->targets.push_back(
        {.pe = pe, .action = hw::Launch{std::make_shared<const KernelCall>(std::move(call))}, .size = {}});
  };
  add({0, 0, 0}, bind_kernel("first", pair.first, BackendArgs{x.ptr()}));
  add({0, 1, 0}, bind_kernel("second", pair.second, BackendArgs{x.ptr() + kRow}));
  [[maybe_unused]] const auto activity = co_await hw::host_of(main.session().machine()).order(0, 0, job);
  const HostArray after = co_await x.to_host();
  *pair.memory = after.to_doubles();
}

BackendOutcome run(BackendKernel first, BackendKernel second, int slots) {
  config::AlgorithmSpec algorithm = allreduce();
  algorithm.n_slots = slots;
  algorithm.slot_size = 128_B;
  config::MachineSpec spec = machine(1, 2, 1);
  spec.pe.pe_cpu.attrs["max_commands"] = kMaxCommands;
  Program program{spec, algorithm};
  BackendOutcome outcome;
  try {
    program.run(run_pair, Pair{first, second, &outcome.memory});
  } catch (const Error& error) {
    outcome.error = error.what();
    outcome.exit = error.exit_code();
  }
  return outcome;
}

}  // namespace

TEST_CASE("PE backend: the machine does what every backend must do") {
  for (const BackendCase& one : backend_cases()) {
    SUBCASE(one.says) { one.check(run); }
  }
}
