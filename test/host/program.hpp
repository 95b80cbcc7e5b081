#pragma once

#include <string>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/host/rank.hpp"

namespace kbsim::host::test {

/// A small machine: two PEs a cube.
inline config::MachineSpec machine(int sips = 2, int w = 2, int h = 2) {
  config::MachineSpec spec;
  spec.system.sips.count = sips;
  spec.sip.cube_mesh = {.w = w, .h = h};
  spec.cube.pe_layout = {.corners = {config::Corner::NW, config::Corner::SE}, .pe_per_corner = 1};
  return spec;
}

inline config::AlgorithmSpec allreduce() {
  config::AlgorithmSpec spec;
  spec.name = "intercube_allreduce";
  spec.kernel = "intercube_allreduce";
  spec.topology = "cube_mesh";
  spec.mapper = "cube_leaders";
  return spec;
}

/// The placement that the all-reduce works on: a row on PE 0 of each cube.
inline const topology::DPPolicy kRows{.cube = topology::Split::row_wise, .num_pes = 1};

/// All on one PE.
inline const topology::DPPolicy kOnePe{.num_cubes = 1, .num_pes = 1};

/// Free bytes of all PEs' memories in cube 0 of each package, and of virtual addresses.
inline Bytes free_memory(Session& session) {
  Bytes all;
  for (int sip = 0; sip < session.spec().system.sips.count; ++sip) {
    all += session.virtual_memory(sip).free_bytes();
    for (int pe = 0; pe < session.spec().pes_per_cube(); ++pe)
      all += session.allocators().pe({sip, 0, pe}).hbm.free_bytes();
  }
  return all;
}

/// Runs the program on two ranks; one of them fails.
template <class Args>
Task<> fails_on_two(Rank& main, Task<> (*program)(Rank&, Args), std::type_identity_t<Args> args) {
  bool failed = false;
  try {
    co_await main.mp.spawn(program, std::move(args), {.nprocs = 2});
  } catch (const SpawnException&) {
    failed = true;
  }
  CHECK(failed);
}

/// A machine with its main program; data races are errors.
struct Program {
  explicit Program(config::MachineSpec spec = machine(), config::AlgorithmSpec algorithm = allreduce(),
                   const SimulationOptions& simulation = {})
      : session{std::move(spec),
                std::move(algorithm),
                {.simulation = simulation, .replay_threads = 1, .races = oplog::RaceMode::error}} {}

  template <class Args>
  void run(Task<> (*program)(Rank&, Args), std::type_identity_t<Args> args) {
    (void)session.sim().spawn("main", main.run(program(main, std::move(args))));
    session.run();
  }

  /// The text of the program's error; checks its exit code.
  template <class Args>
  std::string error(Task<> (*program)(Rank&, Args), std::type_identity_t<Args> args, ExitCode exit) {
    try {
      run(program, std::move(args));
      return "";
    } catch (const Error& error) {
      CHECK(error.exit_code() == exit);
      return error.what();
    }
  }

  Session session;
  World world;
  Rank main{session, world, 0};
};

}  // namespace kbsim::host::test
