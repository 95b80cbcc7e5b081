#include "runs.hpp"

#include <algorithm>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/config/load.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"

namespace kbsim::test::causes {
namespace {

struct Work {
  std::int64_t elements;
  bool over_cubes;
};

Task<> reduce(host::Rank& rank, Work work) {
  const topology::DPPolicy rows{.cube = topology::Split::row_wise, .num_pes = 1};
  const topology::DPPolicy one{.num_cubes = 1, .num_pes = 1};
  const std::int64_t cubes = work.over_cubes ? rank.session().spec().cubes_per_sip() : 1;
  host::Tensor x = co_await rank.torch.full({cubes, work.elements}, rank.index + 1.0, f16,
                                            {.dp = work.over_cubes ? rows : one});
  co_await rank.dist.all_reduce(x);
  const host::HostArray read = co_await x.to_host();
}

Task<> on_all(host::Rank& main, Work work) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(reduce, work, {.nprocs = main.dist.get_world_size()});
}

std::vector<Explanation> paths_of(host::Session& session, const explain::OpMarks& marks) {
  const hw::Machine& machine = session.machine();
  std::vector<Explanation> all;
  all.push_back(explain::explain(
      "the run", explain::path_to(session.sim().causes()->current(), Time{0}, machine, &marks), machine,
      &marks));
  for (const hw::OrderRecord& order : hw::host_of(session.machine()).orders())
    all.push_back(explain::explain(
        order.kernel_name, explain::path_to(order.why, order.sent, machine, &marks), machine, &marks));
  return all;
}

std::vector<Outcome::Ended> ops_of(host::Session& session, const explain::OpMarks& marks) {
  std::vector<Outcome::Ended> all;
  const topology::Graph& graph = session.machine().graph();
  for (std::uint32_t lane = 0; lane < session.log().lanes(); ++lane) {
    for (const oplog::Op& op : session.log().ops(lane)) {
      if (op.start == op.end) continue;
      all.push_back({.id = op.id,
                     .name = marks.name(op.id),
                     .called = marks.called(op.id),
                     .end = op.end,
                     .by_math = graph.node(op.unit).kind == topology::NodeKind::pe_math});
    }
  }
  return all;
}

// Adds to the outcome of a run what needs all causes.
void look_around(Outcome& outcome, host::Session& session, const explain::OpMarks& marks) {
  const Causes& causes = *session.sim().causes();
  outcome.gave_up = causes.gave_up_all();
  if (!causes.keeps_all()) return;
  const explain::CauseGraph graph{causes.current(), Time{0}, session.machine()};
  explain::add_sides(outcome.paths.front(), graph);
  explain::add_op_slacks(outcome.paths.front(), graph, marks);
  if (outcome.asked) outcome.asked->margin = graph.margin_of(marks.kept_end());
  constexpr double kStep = 0.001;
  for (const auto& [key, term] : graph.keys()) {
    if (term.unit != "ns") continue;
    outcome.guesses[key] = {.less = graph.at(key, std::max(0.0, term.value - kStep)),
                            .more = graph.at(key, term.value + kStep)};
  }
  const Explanation& run = outcome.paths.front();
  for (const std::vector<Derivative>* keys : {&run.keys, &run.off_path}) {
    for (const Derivative& key : *keys) {
      outcome.edges[key.key] = {.less = graph.at(key.key, key.sides->from.value_or(key.value)),
                                .more = graph.at(key.key, key.sides->to.value_or(key.value))};
    }
  }
}

}  // namespace

Outcome run(const Setup& setup, bool explains) {
  const hw::ModelCatalog catalog;
  config::MachineSpec machine = config::load_machine({.file = KBSIM_SOURCE_DIR "/configs/topology.yaml",
                                                      .overrides = setup.overrides,
                                                      .catalog = catalog,
                                                      .folders = {}});
  static const config::CclSpec ccl = config::load_ccl(KBSIM_SOURCE_DIR "/configs/ccl.yaml");
  config::AlgorithmSpec algorithm = ccl.resolve(setup.algorithm);
  algorithm.n_slots = setup.slots;
  if (setup.poll > Time{0}) {
    algorithm.backpressure = config::Backpressure::poll;
    algorithm.poll = setup.poll;
  }
  if (setup.direct_credit) algorithm.credit = config::CreditPath::direct;
  host::Session session{
      std::move(machine),
      std::move(algorithm),
      {.simulation = {.causes = explains, .why = {.all = setup.all_causes}}, .replay_threads = 1}};
  explain::OpMarks marks{session.sim(), session.log()};
  if (setup.asked) marks.keep(*setup.asked);
  host::World world;
  host::Rank main{session, world, 0};
  const Work work{.elements = setup.elements, .over_cubes = setup.over_cubes};
  (void)session.sim().spawn("main", main.run(on_all(main, work)));
  session.run();
  Outcome outcome{.total = session.sim().now(), .digest = session.machine().digest()};
  if (!explains) return outcome;
  outcome.paths = paths_of(session, marks);
  outcome.ops = ops_of(session, marks);
  const hw::Machine& there = session.machine();
  if (setup.asked)
    outcome.asked = explain::explain(
        marks.name(*setup.asked),
        explain::path_to(marks.kept_end(), marks.called(*setup.asked), there, &marks), there, &marks);
  if (setup.all_causes > 0) look_around(outcome, session, marks);
  return outcome;
}

Time total_with(Setup setup, const std::string& key, double value) {
  if (key == "ccl.defaults.poll_ns") {
    setup.poll = from_ns(value);
  } else {
    setup.overrides.push_back(fmt::format("{}={:.9f}", key, value));
  }
  return run(setup, false).total;
}

const Derivative* find(const Explanation& explanation, const std::string& key) {
  const auto found = std::ranges::find(explanation.keys, key, &Derivative::key);
  return found == explanation.keys.end() ? nullptr : &*found;
}

Time sum(const std::vector<Share>& shares) {
  Time all{};
  for (const Share& share : shares) all += share.time;
  return all;
}

void check_whole(const Explanation& one) {
  CAPTURE(one.of);
  Time at = one.path.begin;
  for (const Segment& segment : one.path.segments) {
    CHECK(segment.from == at);
    CHECK(segment.to >= segment.from);
    at = segment.to;
  }
  CHECK(at == one.path.end);
  CHECK(sum(one.reasons) == one.path.length());
  CHECK(sum(one.kinds) == one.path.length());
  CHECK(sum(one.places) == one.path.length());
  CHECK(sum(one.waits) <= one.path.length());
}

Checked check_steps(const Setup& setup, const Outcome& outcome) {
  Checked checked;
  for (const auto& [key, guess] : outcome.guesses) {
    const Derivative* known = find(outcome.paths.front(), key);
    if (known == nullptr) continue;
    const auto check = [&](double to, const explain::Prediction& said) {
      const Time then = total_with(setup, key, to);
      if (said.flips > 0) return (void)++checked.flipped;
      if (then == said.length) return (void)++checked.exact;
      ++checked.off;
      MESSAGE(setup.algorithm, " ", key, " ", to - known->value, " said ",
              (said.length - outcome.total).count(), " is ", (then - outcome.total).count(), " path ",
              known->slope_ns);
    };
    if (known->value > 0.0) check(known->value - 0.001, guess.less);
    check(known->value + 0.001, guess.more);
  }
  return checked;
}

const Explanation& launch(const Outcome& outcome) {
  for (const Explanation& one : outcome.paths) {
    if (one.of.ends_with("allreduce")) return one;
  }
  throw UsageError{"there is no all-reduce"};
}

void check_paths(const Setup& setup) {
  const Outcome explained = run(setup);
  const Outcome plain = run(setup, false);
  CHECK(explained.total == plain.total);
  CHECK(explained.digest.value() == plain.digest.value());
  CHECK(explained.paths.front().path.length() == plain.total);
  for (const Explanation& one : explained.paths) check_whole(one);
}

}  // namespace kbsim::test::causes
