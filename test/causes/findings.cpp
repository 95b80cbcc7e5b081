// Findings on runs whose flaw is known, and their text.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/config/load.hpp"
#include "kbsim/explain/finding.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"

namespace kbsim::explain::findings_test {
namespace {

struct Lateness {
  int rank = 0;
  Time by{};
  std::int64_t upload = 0;  // elements that rank 0 uploads before
};

// The second all-reduce begins later on one rank.
Task<> reduce_twice(host::Rank& rank, Lateness late) {
  const std::int64_t more = rank.index == 0 ? late.upload : 0;
  if (more > 0) {
    const host::Tensor big =
        co_await rank.torch.full({more}, 1.0, f16, {.dp = {.num_cubes = 1, .num_pes = 1}});
  }
  host::Tensor x =
      co_await rank.torch.full({32}, rank.index + 1.0, f16, {.dp = {.num_cubes = 1, .num_pes = 1}});
  co_await rank.dist.all_reduce(x);
  if (rank.index == late.rank && late.by > Time{0}) {
    Simulation& sim = rank.session().sim();
    Causes& causes = *sim.causes();
    const NodeId place = rank.session().machine().graph().sips()[static_cast<std::size_t>(rank.index)].io_cpu;
    causes.because(causes.make(sim.now() + late.by, causes.current(), hw::why(hw::Reason::given, place)));
    co_await sim.delay(late.by);
  }
  co_await rank.dist.all_reduce(x);
}

Task<> on_all_ranks(host::Rank& main, Lateness late) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(reduce_twice, late, {.nprocs = main.dist.get_world_size()});
}

struct Found {
  Time total{};
  std::vector<Finding> findings;
};

using Launches = std::vector<hw::OrderRecord>;

// `made`: launches in place of the run's.
Found found(Lateness late, const Launches& made = {}) {
  const hw::ModelCatalog catalog;
  host::Session session{
      config::load_machine({.file = KBSIM_SOURCE_DIR "/configs/topology.yaml",
                            .overrides = {"system.sips.count=4", "sip.cube_mesh.w=1", "sip.cube_mesh.h=1"},
                            .catalog = catalog,
                            .folders = {}}),
      config::load_ccl(KBSIM_SOURCE_DIR "/configs/ccl.yaml").resolve("ring_allreduce_tcm"),
      {.simulation = {.causes = true}, .replay_threads = 1}};
  host::World world;
  host::Rank main{session, world, 0};
  (void)session.sim().spawn("main", main.run(on_all_ranks(main, late)));
  session.run();
  hw::Machine& machine = session.machine();
  Launches launches = made.empty() ? hw::host_of(machine).orders() : made;
  std::erase_if(launches, [](const auto& order) { return order.phase != hw::OrderPhase::kernel; });
  const Explanation what =
      explain("the run", path_to(session.sim().causes()->current(), Time{0}, machine), machine);
  return {.total = session.sim().now(),
          .findings = findings_in({.what = what, .machine = machine, .counts = {}, .launches = launches})};
}

const Finding* finding(const Found& found, const std::string& id) {
  const auto one = std::ranges::find(found.findings, id, &Finding::id);
  return one == found.findings.end() ? nullptr : &*one;
}

hw::OrderRecord launch_on(int package, Time from, Time to) {
  return {.kernel_name = "stage",
          .rank = package,
          .sip = package,
          .sent = from,
          .reported = to,
          .activity = {.first_start = from, .last_end = to}};
}

Finding made(const std::string& id, Time gain, bool of_ranks, const std::string& key = "") {
  return {.id = id,
          .title = "title of " + id,
          .gain = gain,
          .share = to_ns(gain) / 100.0,
          .evidence =
              "evidence in words enough for more than a line of eighty columns, which a terminal has, "
              "and a_word",
          .place = "sip0",
          .key = key,
          .of_ranks = of_ranks};
}

Advice advised(const std::string& key, Time gain, bool simulated = true) {
  return {.change = {.key = key, .value = 1.0, .to = 2.0},
          .gain = gain,
          .share = to_ns(gain) / 100.0,
          .simulated = simulated};
}

}  // namespace

TEST_CASE("Findings: a rank that comes late is named, and gains what it is later, to the picosecond") {
  const Found prompt = found({});
  CHECK(finding(prompt, "late_rank") == nullptr);
  for (const int rank : {1, 3}) {
    CAPTURE(rank);
    const Found late = found({.rank = rank, .by = 5_us});
    const Found later = found({.rank = rank, .by = 7500_ns});
    REQUIRE(finding(late, "late_rank") != nullptr);
    REQUIRE(finding(later, "late_rank") != nullptr);
    CHECK(late.findings.front().id == "late_rank");
    CHECK(late.findings.front().evidence.starts_with("rank " + std::to_string(rank) +
                                                     " enters ring_allreduce "));
    CHECK(late.findings.front().place == "sip" + std::to_string(rank));
    CHECK(later.total - late.total == 2500_ns);
    CHECK(later.findings.front().gain - late.findings.front().gain == 2500_ns);
    CHECK(late.findings.front().gain > 4900_ns);
    CHECK(late.findings.front().gain < 5100_ns);
  }
}

// 64 KiB at 64 GB/s take 1024 ns at the host's link; each of the other host links has a few small messages.
TEST_CASE("Findings: the link by which one rank uploads much more than the others is hot") {
  CHECK(finding(found({}), "hot_link") == nullptr);
  const Found busy = found({.upload = 32'768});
  const Finding* const hot = finding(busy, "hot_link");
  REQUIRE(hot != nullptr);
  CHECK(hot->evidence.find("links of its class (host link) in use") != std::string::npos);
  CHECK(hot->evidence.starts_with(hot->place + " is busy "));
  CHECK(hot->gain > 500_ns);
  CHECK(hot->gain < 1200_ns);
}

TEST_CASE("Findings: packages that work one after the other gain what all but the busiest take") {
  const Launches stages{launch_on(0, 100_ns, 400_ns), launch_on(1, 400_ns, 600_ns),
                        launch_on(0, 700_ns, 750_ns)};
  const Found in_sequence = found({}, stages);
  const Finding* const pipeline = finding(in_sequence, "idle_packages");
  REQUIRE(pipeline != nullptr);
  CHECK(pipeline->gain == 200_ns);
  CHECK(pipeline->place == "sip0");
  CHECK(pipeline->evidence ==
        "2 packages run kernels one after the other, 550 ns in all; the busiest, sip0, works 350 ns of it");
  const Found together = found({}, {launch_on(0, 100_ns, 400_ns), launch_on(1, 200_ns, 500_ns)});
  CHECK(finding(together, "idle_packages") == nullptr);
}

TEST_CASE("Findings: those of ranks come before advice that gains less, all others after it; 80 columns") {
  const std::vector<Finding> all{made("late", 40_ns, true), made("exposed", 30_ns, false),
                                 made("straggler", 5_ns, true), made("fourth", 4_ns, false)};
  const std::string text =
      to_text(ExplanationText{.headline = "head\n", .details = "details\n"}, {advised("key", 10_ns)}, all);
  const auto at = [&](const std::string& part) { return text.find(part); };
  CHECK(at("title of late") < at("  try  key"));
  CHECK(at("  try  key") < at("title of exposed"));
  CHECK(at("title of exposed") < at("title of straggler"));
  CHECK(at("title of straggler") < at("details"));
  CHECK(at("title of fourth") == std::string::npos);
  const std::string shown = to_text(all);
  std::size_t column = 0;
  for (const char letter : shown) {
    column = letter == '\n' ? 0 : column + 1;
    CHECK(column <= 80);
  }
  CHECK(
      shown.starts_with("  found  title of late                                   40.0 % less, estimated\n"
                        "         evidence in words enough for more than a line of eighty columns, which\n"
                        "         a terminal has, and a_word\n"));
}

TEST_CASE("Findings: one with a key takes its greatest simulated gain") {
  std::vector<Finding> all{made("slots", 40_ns, false, "n_slots"), made("other", 30_ns, false)};
  settle(all, {advised("n_slots", 10_ns), advised("n_slots", 20_ns), advised("n_slots", 35_ns, false)});
  CHECK(all.front().id == "other");
  CHECK(all.back().gain == 20_ns);
  CHECK(all.back().simulated);
}

TEST_CASE("Findings: their document gives them back") {
  const std::vector<Finding> all{made("slots", 40_ns, false, "n_slots"), made("late", 30_ns, true)};
  const boost::json::array rows = to_json(all);
  CHECK(rows[0].at("key").as_string() == "n_slots");
  CHECK(rows[1].at("key").is_null());
  const std::vector<Finding> again = findings_read(rows);
  REQUIRE(again.size() == 2);
  CHECK(to_text(again) == to_text(all));
  CHECK(again[1].of_ranks);
  CHECK(again[0].key == "n_slots");
}

TEST_CASE("Findings: each kind has a title and a formula") {
  CHECK(finding_kinds().size() >= 9);
  for (const auto& [id, kind] : finding_kinds().entries()) {
    CAPTURE(id);
    CHECK(kind.title.size() <= 46);
    CHECK(kind.doc.find(' ') != std::string::npos);
  }
}

}  // namespace kbsim::explain::findings_test
