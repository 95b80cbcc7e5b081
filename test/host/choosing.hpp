#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "program.hpp"

namespace kbsim::host::test {

/// Algorithms between the same PEs of all packages.
inline config::CclSpec declared() {
  config::CclSpec spec;
  const auto add = [&](const char* name, const char* kernel, const char* topology,
                       config::Collective collective) {
    config::AlgorithmSpec one;
    one.name = name;
    one.kernel = kernel;
    one.collective = collective;
    one.topology = topology;
    spec.algorithms[name] = one;
  };
  using config::Collective;
  add("ring", "ring_allreduce", "ring_1d", Collective::all_reduce);
  add("both", "bidirectional_ring_allreduce", "ring_1d", Collective::all_reduce);
  add("tree", "tree_allreduce", "tree_binary", Collective::all_reduce);
  add("gather", "ring_all_gather", "ring_1d_unidir", Collective::all_gather);
  add("scatter", "ring_reduce_scatter", "ring_1d_unidir", Collective::reduce_scatter);
  add("cast", "ring_broadcast", "ring_1d_unidir", Collective::broadcast);
  add("exchange", "ring_all_to_all", "ring_1d_unidir", Collective::all_to_all);
  return spec;
}

/// A session of programs that pick among the declared algorithms.
struct Choosing {
  explicit Choosing(int sips, std::optional<std::uint64_t> shuffle = {}, std::FILE* choices = nullptr)
      : Choosing{machine(sips), shuffle, choices} {}
  explicit Choosing(config::MachineSpec spec, std::optional<std::uint64_t> shuffle = {},
                    std::FILE* choices = nullptr)
      : session{std::move(spec),
                allreduce(),
                {.simulation = {.shuffle_ties = shuffle},
                 .replay_threads = 1,
                 .races = oplog::RaceMode::error,
                 .ccl = declared(),
                 .choices = choices}} {}

  /// The text of the program's error.
  template <class Args>
  std::string error(Task<> (*program)(Rank&, Args), std::type_identity_t<Args> args) {
    try {
      run(program, std::move(args));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  template <class Args>
  void run(Task<> (*program)(Rank&, Args), std::type_identity_t<Args> args) {
    (void)session.sim().spawn("main", main.run(program(main, std::move(args))));
    session.run();
  }

  Session session;
  World world;
  Rank main{session, world, 0};
};

}  // namespace kbsim::host::test
