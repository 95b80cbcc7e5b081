// Runs Chakra execution traces: communication on the machine, computing for as long as the traces say.
#include <algorithm>
#include <optional>
#include <set>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/app/bench.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/ccl/plans.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/inputs/chakra/workload.hpp"

#include "chakra_memory.hpp"
#include "chakra_run.hpp"

namespace kbsim::app::chakra_bench {
namespace {

namespace in = inputs::chakra;
using config::Collective;

struct Options {
  std::string workload;

  static void describe(auto& f) {
    f.add("workload", &Options::workload, "folder of execution traces, NAME.RANK.et, one file per rank")
        .called("DIR");
  }
};

constexpr std::pair<Collective, const char*> kRings[]{{Collective::all_reduce, "ring_allreduce_tcm"},
                                                      {Collective::all_gather, "ring_all_gather"},
                                                      {Collective::reduce_scatter, "ring_reduce_scatter"},
                                                      {Collective::broadcast, "ring_broadcast"},
                                                      {Collective::reduce, "ring_reduce"},
                                                      {Collective::all_to_all, "ring_all_to_all"}};

std::vector<std::filesystem::path> files_of(const Options& own) {
  if (own.workload.empty())
    throw UsageError{"--bench chakra needs --workload DIR, a folder of execution traces NAME.RANK.et"};
  return in::trace_files(own.workload);
}

in::Workload read_workload(const Options& own) {
  std::vector<in::Trace> traces;
  for (const auto& file : files_of(own)) traces.push_back(in::read_trace(file));
  try {
    return in::workload_of(traces);
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("{}: {}", own.workload, error.what())};
  } catch (const Unsupported& error) {
    throw Unsupported{fmt::format("{}: {}", own.workload, error.what())};
  }
}

// Checks each communication by itself, on the package that holds most of it.
void require_room(const in::Workload& work, const std::string& folder, Bytes there) {
  for (const in::Communication& what : work.communications) {
    if (tensors_of(what, what.root) <= there) continue;
    const in::WorkItem& item = work.items[what.items.front()];
    throw UsageError{fmt::format(
        "{}: rank {}: node {} '{}': comm_size is {}: its tensors take {} in the memory of a PE, which has {} "
        "(cube.memory.hbm_bytes_per_pe)",
        folder, item.rank, item.id, item.name, what.bytes, to_string(tensors_of(what, what.root)),
        to_string(there))};
  }
}

bool has_one_of(const in::Workload& work, std::optional<Collective> which) {
  return std::ranges::any_of(work.communications, [&](const in::Communication& what) {
    return what.kind == in::CommunicationKind::collective && (!which || what.collective == *which);
  });
}

void require_effect(const in::Workload& work, const config::AlgorithmSpec& named,
                    const BenchRequest& request) {
  if (!request.algorithm.empty() && !has_one_of(work, named.collective))
    throw UsageError{
        fmt::format("--algorithm {}: the workload has no {}", named.name, ccl::collective_name(named))};
  if (request.buffer_kind && !has_one_of(work, {}))
    throw UsageError{"--buffer-kind has no effect: the workload has no collective that an algorithm runs"};
}

void check(const config::MachineSpec& machine, const config::AlgorithmSpec& named, BenchRequest request) {
  const in::Workload work = read_workload(request.own.as<Options>());
  const int ranks = work.ranks;
  const int packages = machine.system.sips.count;
  if (ranks != packages)
    throw UsageError{fmt::format(
        "--workload {} has {}, and the machine {}: add --set "
        "system.sips.count={}, and a shape that fits it, or the traces that miss",
        request.own.as<Options>().workload, counted(ranks, "rank"), counted(packages, "package"), ranks)};
  require_effect(work, named, request);
  require_room(work, request.own.as<Options>().workload, machine.hbm_per_pe());
}

// The algorithm that the user names, and a ring for each other collective.
std::map<Collective, std::string> names_for(const in::Workload& work, const BenchRequest& request,
                                            const config::CclSpec& ccl) {
  std::map<Collective, std::string> all;
  for (const auto& [collective, ring] : kRings) {
    if (!has_one_of(work, collective)) continue;
    const bool named = !request.algorithm.empty() && ccl.resolve(request.algorithm).collective == collective;
    all[collective] = named ? request.algorithm : std::string{ring};
  }
  return all;
}

// Queues of communications that aren't collectives, as `dist` calls them; "" for a collective.
std::string queues_of(in::CommunicationKind kind) {
  switch (kind) {
    case in::CommunicationKind::collective: return {};
    case in::CommunicationKind::barrier: return "barrier";
    case in::CommunicationKind::message: return "p2p";
    case in::CommunicationKind::gather:
    case in::CommunicationKind::scatter: break;
  }
  return "pairs";
}

// Names of algorithms and queues whose settings count.
std::vector<std::string> runs(const BenchRequest& request, const config::CclSpec& ccl) {
  const in::Workload work = read_workload(request.own.as<Options>());
  std::set<std::string> names;
  for (const auto& [collective, name] : names_for(work, request, ccl)) names.insert(name);
  if (names.empty()) names.insert(kRings[0].second);
  for (const in::Communication& what : work.communications) names.insert(queues_of(what.kind));
  names.erase("");
  return {names.begin(), names.end()};
}

std::map<Collective, std::string> algorithms_for(const in::Workload& work, const BenchRequest& request,
                                                 host::Session& session) {
  std::map<Collective, std::string> all = names_for(work, request, session.ccl());
  for (const auto& [collective, name] : all)
    evaluate::require_among_packages(session.spec(), session.algorithm(name), session.ccl(), collective, f16);
  return all;
}

ChakraRates rates_of(host::Session& session) {
  hw::Machine& machine = session.machine();
  const auto& memory = machine.at<hw::Memory>(machine.graph().cube(0, 0).hbm[0]);
  const double macs = machine.at<hw::IGemm>(machine.graph().pe({0, 0, 0}).gemm).peak_macs_per_ns();
  const int cubes = session.spec().cubes_per_sip();
  const auto ports = static_cast<double>(machine.graph().cube(0, 0).hbm.size()) * cubes;
  return {.operations_per_ns = 2.0 * macs * session.spec().pes_per_cube() * cubes,
          .bytes_per_ns = memory.read_rate().gbs() * ports};
}

double us(Time time) { return to_ns(time) / 1000.0; }

void describe(const in::Workload& work, const ChakraRun& run, BenchReport& report) {
  const auto messages =
      std::ranges::count(work.communications, in::CommunicationKind::message, &in::Communication::kind);
  const auto collectives = std::ssize(work.communications) - messages;
  report.text = fmt::format(
      " chakra: {}, {}, {}, {}, {} in {:.3f} us\n"
      "   rank    compute (us)        cpu (us)     memory (us)"
      "  communication (us)  exposed (us)    end (us)\n",
      counted(work.ranks, "rank"), counted(work.items.size(), "node"),
      counted(work.dependencies, "dependency", "dependencies"), counted(collectives, "collective"),
      counted(messages, "message"), us(run.time()));
  boost::json::array ranks;
  for (const ChakraRank& rank : run.ranks()) {
    report.text += fmt::format("   {:>4} {:>15.3f} {:>15.3f} {:>15.3f} {:>19.3f} {:>13.3f} {:>11.3f}\n",
                               ranks.size(), us(rank.compute), us(rank.cpu), us(rank.memory),
                               us(rank.communication), us(rank.exposed), us(rank.end));
    ranks.push_back({{"compute_us", us(rank.compute)},
                     {"cpu_us", us(rank.cpu)},
                     {"memory_us", us(rank.memory)},
                     {"communication_us", us(rank.communication)},
                     {"exposed_us", us(rank.exposed)},
                     {"end_us", us(rank.end)}});
  }
  if (work.records > 0)
    report.text += fmt::format("   {} of what other nodes do: no work of the device\n",
                               counted(work.records, "node is a record", "nodes are records"));
  if (run.waited() > 0)
    report.text += fmt::format("   {} waited for room for tensors (cube.memory.hbm_bytes_per_pe)\n",
                               counted(run.waited(), "communication"));
  report.json = {{"waited_for_room", run.waited()},
                 {"ranks", work.ranks},
                 {"nodes", work.items.size()},
                 {"dependencies", work.dependencies},
                 {"records", work.records},
                 {"collectives", collectives},
                 {"messages", messages},
                 {"time_us", us(run.time())},
                 {"by_rank", std::move(ranks)}};
}

Task<> chakra(host::Rank& main, Options options, BenchRequest request, BenchReport* report) {
  const in::Workload work = read_workload(options);
  host::Session& session = main.session();
  if (session.calls() != nullptr)
    throw Unsupported{"--chakra: --bench chakra runs execution traces that are written already"};
  const auto largest_free = [&session](int rank) {
    return session.allocators().pe({rank, 0, 0}).hbm.largest_free();
  };
  ChakraRun run{work, session.machine(), rates_of(session), largest_free};
  ChakraShared shared{.run = &run, .algorithms = algorithms_for(work, request, session)};
  host::ProcessGroupOptions group;
  for (const auto& [collective, name] : shared.algorithms) group.algorithms.push_back(name);
  if (group.algorithms.empty()) group.algorithms.emplace_back(kRings[0].second);
  co_await main.dist.init_process_group(group);
  (void)session.sim().spawn("dispatch of nodes", run.dispatch());
  co_await main.mp.spawn(chakra_rank, &shared, {.nprocs = work.ranks});
  describe(work, run, *report);
}
KBSIM_BENCH(chakra, "execution traces of Chakra: communication on the machine, computing as they say",
            .algorithms = Algorithms::any,
            .unused = {{"ccl.*.n_elem", "the traces say how much is sent"},
                       {"ccl.*.chosen_up_to", "no call picks its algorithm"},
                       {"ccl.*.chosen", "no call picks its algorithm"},
                       {"ccl.*.picked", "no call picks its algorithm"},
                       {"ccl.defaults.algorithm", "collectives run as rings unless --algorithm names one"}},
            .check = check, .runs = runs);

}  // namespace
}  // namespace kbsim::app::chakra_bench
