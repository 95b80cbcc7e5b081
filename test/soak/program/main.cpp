// soak_program --program SEED --topology FILE [--set KEY=VALUE]...: a random program of PEs, on the machine
// of the file and in the mock. Exits 0 if both agree: on all values, or that it gets stuck, or has a fault.
// Else 7.
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/mock/mock_wiring.hpp"
#include "kbsim/tl/waits.hpp"

#include "help.hpp"
#include "machine_options.hpp"
#include "parse_options.hpp"
#include "program.hpp"

namespace kbsim::soak {
namespace {

namespace po = boost::program_options;

/// How a run of the programs ended: memories by package, or why there are none.
struct Ending {
  std::string how = "ends";
  std::string text = {};
  std::vector<std::vector<double>> memories = {};
};

constexpr const char* kFault = "has a fault";

Ending ending_of(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  if (known == nullptr || known->exit_code() != ExitCode::deadlock) throw;
  const bool stuck = dynamic_cast<const DeadlockReport*>(known) != nullptr;
  return {.how = stuck ? "gets stuck" : kFault, .text = error.what()};
}

std::vector<double> first_contents(const Programs& programs, int sip, std::int64_t pes) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < pes * kRows * programs.elements; ++i)
    numbers.push_back(static_cast<double>((i * 7 + sip * 1009) % 4096));
  return numbers;
}

std::int64_t pes_a_package(const config::MachineSpec& machine) {
  return std::int64_t{machine.cubes_per_sip()} * machine.pes_per_cube();
}

Ending in_mock(const Programs& programs, const config::MachineSpec& machine,
               const config::AlgorithmSpec& algorithm) {
  const std::int64_t pes = pes_a_package(machine);
  const std::int64_t n = pes * kRows * programs.elements;
  try {
    mock::World world{mock::like(machine, algorithm)};
    std::vector<Ptr> memories;
    for (int sip = 0; sip < machine.system.sips.count; ++sip) {
      memories.push_back(world.alloc(sip, first_contents(programs, sip, pes), i32));
      for (std::size_t i = 0; i < programs.launches.size(); ++i)
        world.launch(sip, kernels().at("soak_program").bind(ProgramArgs{memories.back(), &programs, i}));
    }
    world.run();
    Ending ending;
    for (int sip = 0; sip < machine.system.sips.count; ++sip)
      ending.memories.push_back(world.read(sip, memories[static_cast<std::size_t>(sip)], n));
    return ending;
  } catch (const std::exception& error) {
    return ending_of(error);
  }
}

struct HostArgs {
  const Programs* programs;
  Ending* ending;
};

Task<> on_package(host::Rank& rank, HostArgs args) {
  rank.ahbm.set_device(rank.index);
  const std::int64_t pes = pes_a_package(rank.session().spec());
  const std::vector<double> numbers = first_contents(*args.programs, rank.index, pes);
  const auto number = [&](std::int64_t i) { return numbers[static_cast<std::size_t>(i)]; };
  const host::HostArray before = host::generate({pes, kRows * args.programs->elements}, i32, number);
  const topology::DPPolicy rows{.cube = topology::Split::row_wise, .pe = topology::Split::row_wise};
  const host::Tensor memory = co_await rank.torch.from_host(before, {.dp = rows, .shared = true});
  for (std::size_t i = 0; i < args.programs->launches.size(); ++i)
    co_await rank.launch("soak_program", memory, ProgramArgs{memory.ptr(), args.programs, i});
  const host::HostArray after = co_await memory.to_host();
  args.ending->memories[static_cast<std::size_t>(rank.index)] = after.to_doubles();
}

Task<> host_program(host::Rank& main, HostArgs args) {
  co_await main.dist.init_process_group({});
  args.ending->memories.resize(static_cast<std::size_t>(main.dist.get_world_size()));
  co_await main.mp.spawn(on_package, args, {.nprocs = main.dist.get_world_size()});
}

Ending on_machine(const Programs& programs, host::Session& session) {
  Ending ending;
  try {
    host::World world;
    host::Rank main{session, world, 0};
    (void)session.sim().spawn("main", main.run(host_program(main, {&programs, &ending})));
    session.run();
    return ending;
  } catch (const std::exception& error) {
    return ending_of(error);
  }
}

// Compares values only: with several faults and waits, each side may meet another one first.
std::string difference(const Ending& machine, const Ending& mock) {
  if (machine.memories.empty() != mock.memories.empty())
    return fmt::format("the machine {}, the mock {}:\n{}", machine.how, mock.how,
                       machine.text.empty() ? mock.text : machine.text);
  for (std::size_t sip = 0; sip < mock.memories.size(); ++sip) {
    for (std::size_t i = 0; i < mock.memories[sip].size(); ++i) {
      const double got = machine.memories[sip][i];
      if (got != mock.memories[sip][i])
        return fmt::format("sip{} element {}: {} on the machine, {} in the mock", sip, i, got,
                           mock.memories[sip][i]);
    }
  }
  return "";
}

struct Options {
  app::MachineOptions machine;
  std::uint64_t program = 0;
  std::optional<std::uint64_t> shuffle_ties;
  std::string buffer_kind = "tcm";
};

void parse(int argc, char** argv, Options& options) {
  po::options_description all{"options of soak_program"};
  options.machine.describe(all);
  auto add = all.add_options();
  add("program", po::value(&options.program)->value_name("SEED")->required(), "which program");
  add("shuffle-ties", po::value<std::uint64_t>()->value_name("SEED")->notifier([&](std::uint64_t seed) {
    options.shuffle_ties = seed;
  }),
      "as of kbsim run");
  add("buffer-kind", po::value(&options.buffer_kind)->value_name("KIND"), "as of kbsim run");
  app::parse_options({argv + 1, argv + argc}, all,
                     {.usage = "soak_program --program SEED [--topology FILE]", .examples = ""});
}

/// The queues of the programs, as an algorithm that is installed like any other.
config::AlgorithmSpec algorithm_of(const Options& options, const config::CclSpec& ccl,
                                   const Programs& programs) {
  ccl::topologies().add("soak_wires",
                        {.doc = "the wires of a random program",
                         .wire = [&programs](const config::MachineSpec&, const std::vector<PeCoord>&) {
                           ccl::Wiring wiring;
                           for (const Wire& wire : programs.wires) {
                             wiring[wire.a].push_back({.direction = wire.name_at_a, .peer = wire.b});
                             wiring[wire.b].push_back({.direction = wire.name_at_b, .peer = wire.a});
                           }
                           return wiring;
                         }});
  config::AlgorithmSpec algorithm;
  static_cast<config::CclSettings&>(algorithm) = ccl.defaults;
  algorithm.buffer_kind = config::buffer_kind_of(options.buffer_kind).value();
  algorithm.name = algorithm.kernel = "soak_program";
  algorithm.topology = "soak_wires";
  algorithm.mapper = "all_pes";
  return algorithm;
}

// Tiles of the mock always have room, so rings must leave half of the room for tiles on the machine.
void require_room_for_tiles(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine) {
  const Bytes room = machine.cube.memory.tcm - machine.cube.memory.tcm_scheduler;
  if (2 * ccl::rings_in_tcm(algorithm, machine) > room)
    throw UsageError{"rings take more than half of the TCM, of which the mock knows nothing"};
}

ExitCode run(const Options& options) {
  const auto [machine, ccl, notes, text] = options.machine.load();
  const std::vector<PeCoord> pes = ccl::mappers().at("all_pes").participants(machine);
  const Programs programs = random_programs(options.program, pes);
  const config::AlgorithmSpec algorithm = algorithm_of(options, ccl, programs);
  require_room_for_tiles(algorithm, machine);
  host::Session session{
      machine, algorithm, {.simulation = {.shuffle_ties = options.shuffle_ties}, .replay_threads = 1}};
  const Ending there = on_machine(programs, session);
  const std::string found = difference(there, in_mock(programs, machine, algorithm));
  // After a fault some more events may have run; of several faults at one time, any may be reported.
  const bool comparable = there.how != kFault;
  fmt::print("{}{}\n", there.how,
             comparable ? fmt::format(" at {}, digest {}", to_string(session.sim().now()),
                                      to_string(session.machine().digest()))
                        : "");
  fmt::print(stderr, "{}{}{}\n", there.text, found.empty() ? "" : "kbsim: ", found);
  return found.empty() ? ExitCode::ok : ExitCode::wrong_values;
}

}  // namespace
}  // namespace kbsim::soak

int main(int argc, char** argv) {
  try {
    kbsim::soak::Options options;
    kbsim::soak::parse(argc, argv, options);
    return static_cast<int>(kbsim::soak::run(options));
  } catch (const kbsim::app::Help& help) {
    std::cout << help.usage << "\n\n" << help.options;
  } catch (const kbsim::Error& error) {
    fmt::print(stderr, "kbsim: {}\n", error.what());
    return static_cast<int>(error.exit_code());
  }
}
