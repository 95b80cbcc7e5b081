// kbsim sweep as a user types it: points, known results, failures, and killed sweeps.
#include <algorithm>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "command.hpp"
#include "files.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::sweep_test {

using namespace kbsim::test;

namespace {

namespace fs = std::filesystem;

const std::string kSmall =
    "sweep --quiet --bench ccl_allreduce --set sip.cube_mesh.w=1 --set sip.cube_mesh.h=1 ";
const std::string kPlan = kSmall + "--set system.sips.count=2,3,4 --set cube.noc.link_bw_gbs=128..512*2 ";

std::string plugin(const std::string& name) {
  return KBSIM_BINARY "/contract/plugins/plugin_" + name + ".so";
}

std::string place(const std::string& name) { return fresh_place("sweep_" + name).string(); }

bool has(const std::string& text, const std::string& part) {
  CHECK_MESSAGE(text.find(part) != std::string::npos, "expected '" << part << "' in:\n" << text);
  return true;
}

// The files that are equal however a sweep came to its end.
std::string tables_in(const std::string& folder) {
  return contents(fs::path{folder} / "points.csv") + contents(fs::path{folder} / "results.csv") +
         contents(fs::path{folder} / "best.txt");
}

std::string undisturbed() {
  static const std::string tables = [] {
    const std::string folder = place("whole");
    REQUIRE(run_kbsim(kPlan + "--out " + folder).exit == 0);
    std::string all = tables_in(folder);
    fs::remove_all(folder);
    return all;
  }();
  return tables;
}

}  // namespace

TEST_CASE("Sweep: what is known isn't run again, and more values run alone") {
  const std::string folder = place("known");
  has(run_kbsim(kPlan + "--out " + folder).out, "9 points: 0 known, 9 ran, 0 failed");
  CHECK(tables_in(folder) == undisturbed());
  has(run_kbsim(kPlan + "--out " + folder).out, "9 points: 9 known, 0 ran, 0 failed");
  const std::string more = kSmall + "--set system.sips.count=2,3,4,5 --set cube.noc.link_bw_gbs=128..512*2 ";
  has(run_kbsim(more + "--verify 50% --out " + folder).out, "12 points: 9 known, 3 ran, 0 failed");
  for (const char* name : {"sweep.sqlite", "curve.svg", "report.html"})
    CHECK(fs::exists(fs::path{folder} / name));
  fs::remove_all(folder);
}

// A worker gets the answer to a key after the order of its next point.
TEST_CASE("Sweep: equal points that workers ask about while their next points are there") {
  const std::string folder = place("equal_ahead");
  const Outcome outcome =
      run_kbsim(kSmall +
                "--set system.sips.count=2 --jobs 2 --set cube.noc.router.overhead_ns=1..20 "
                "--set cube.noc.link_bw_gbs=256,256.0 --out " +
                folder);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
  has(outcome.out + outcome.err, "40 points");
  has(contents(fs::path{folder} / "points.csv"), "256.0");
  CHECK(std::ranges::count(contents(fs::path{folder} / "points.csv"), '\n') == 41);
}

TEST_CASE("Sweep: equal points run once, whatever their words are") {
  const std::string folder = place("equal");
  const Outcome outcome =
      run_kbsim(kSmall + "--set system.sips.count=2 --vary buffer-kind=tcm --out " + folder);
  has(outcome.out, "1 point: 0 known, 1 ran");
  has(run_kbsim(kSmall + "--set system.sips.count=2 --jobs 1 --set cube.noc.link_bw_gbs=256,256.0 --out " +
                folder)
          .out,
      "2 points: 0 known, 2 ran, 0 failed");
  fs::remove_all(folder);
}

TEST_CASE("Sweep: a point that fails is a row, a deadlock too; others go on") {
  const std::string folder = place("fails");
  const Outcome outcome =
      run_kbsim(kSmall + "--set system.sips.count=2,0,3 --vary max-events=100,10000000 --out " + folder);
  CHECK(outcome.exit == 0);
  has(outcome.out, "6 points: 0 known, 6 ran, 4 failed");
  const std::string points = contents(fs::path{folder} / "points.csv");
  has(points, ",2,\"--set system.sips.count=0: system.sips.count: ");
  has(points, ",4,");
  const Outcome again =
      run_kbsim(kSmall + "--set system.sips.count=2,0,3 --vary max-events=100,10000000 --out " + folder);
  has(again.out, "6 points: 6 known (4 of them failed), 0 ran, 0 failed");
  const Outcome more =
      run_kbsim(kSmall + "--set system.sips.count=2,0,4 --vary max-events=100,10000000 --out " + folder);
  has(more.out, "6 points: 4 known (3 of them failed), 2 ran, 1 failed");
  fs::remove_all(folder);
}

TEST_CASE("Sweep: points that deadlock, hang or crash are rows, and the one beside them has its result") {
  const std::string folder = place("unruly");
  const Outcome stuck = run_kbsim("sweep --quiet --bench ccl_allreduce --plugin " + plugin("stuck") +
                                  " --set ccl.algorithms.intercube_allreduce.kernel=two_circles,"
                                  "intercube_allreduce --set system.sips.count=2 --out " +
                                  folder + "/stuck");
  CHECK(stuck.exit == 0);
  has(stuck.out, "2 points: 0 known, 2 ran, 1 failed");
  has(contents(fs::path{folder} / "stuck" / "points.csv"), ",8,\"deadlock at ");
  const std::string unruly = "sweep --quiet --bench unruly --plugin " + plugin("unruly") + " --vary ";
  has(run_kbsim(unruly + "hangs=0,1 --timeout 2 --out " + folder + "/hangs").out, "2 ran, 1 failed");
  has(contents(fs::path{folder} / "hangs" / "points.csv"), ",4,hadn't ended after 2 s (--timeout)");
  has(run_kbsim(unruly + "crashes=0,1 --out " + folder + "/crashes").out, "2 ran, 1 failed");
  has(contents(fs::path{folder} / "crashes" / "points.csv"), "crashed: its process ");
  fs::remove_all(folder);
}

TEST_CASE("Sweep: --verify finds a point that isn't deterministic") {
  const std::string folder = place("verify");
  const Outcome outcome = run_kbsim("sweep --quiet --bench unruly --plugin " + plugin("unruly") +
                                    " --vary differs=0,1 --verify 100% --out " + folder);
  CHECK(outcome.exit == 7);
  has(outcome.out, "2 points ran once more: 1 differ");
  has(outcome.err, "point 1: exit code 0, digest ");
  fs::remove_all(folder);
}

TEST_CASE("Sweep: --links has what each link did") {
  const std::string folder = place("links");
  CHECK(run_kbsim(kSmall + "--set system.sips.count=2 --links --out " + folder).exit == 0);
  CHECK(contents(fs::path{folder} / "sweep.sqlite").find("sip0.cube0") != std::string::npos);
  fs::remove_all(folder);
}

TEST_CASE("Sweep: a file that changes while it runs ends it, and what has ended is kept") {
  const std::string folder = place("changed");
  const std::string file =
      written("machine.yaml", contents(fs::path{KBSIM_SOURCE_DIR} / "configs/topology.yaml"));
  const Outcome outcome = run_script(
      fmt::format("$KBSIM sweep --quiet --bench ccl_allreduce --topology {0} --set system.sips.count=2..64 "
                  "--jobs 1 --out {1} & master=$!; "
                  "while ! ls {1}/records/*.records >{1}.seen 2>&1; do sleep 0.02; done; "
                  "echo '# another' >> {0}; wait $master",
                  file, folder));
  CHECK(outcome.exit == 2);
  has(outcome.err, "machine.yaml has changed while the sweep ran; ");
  CHECK_FALSE(fs::exists(fs::path{folder} / "points.csv"));
  fs::remove_all(folder);
  fs::remove(folder + ".seen");
}

TEST_CASE("Sweep: with no number at all there are best.txt and report.html, which say why") {
  const std::string folder = place("none");
  const Outcome outcome = run_kbsim(kSmall + "--vary max-events=10,20 --out " + folder);
  CHECK(outcome.exit == 0);
  has(outcome.out, "no point has a number: 2 of 2 failed\n  1 with exit code 4: stopped at ");
  for (const char* name : {"best.txt", "report.html"})
    has(contents(fs::path{folder} / name), "no point has a number: 2 of 2 failed");
  fs::remove_all(folder);
}

TEST_CASE("Sweep: a shard beside a whole sweep is refused, and so is one of another plan beside a shard") {
  const std::string folder = place("beside");
  const auto beside = [&](const std::string& first, const std::string& second) {
    const Outcome outcome = run_script(fmt::format(
        "$KBSIM sweep --quiet --bench ccl_allreduce --set system.sips.count=2..40 --jobs 1 --out {0} {1} & "
        "first=$!; while ! test -e {0}/plan.json; do sleep 0.01; done; $KBSIM {2} --out {0}; code=$?; "
        "kill -9 $first; wait $first; exit $code",
        folder, first, second));
    has(outcome.err, "is writing there; wait for it, or name another folder");
    fs::remove_all(folder);
    return outcome.exit;
  };
  CHECK(beside("", kPlan + "--shard 1/2") == 2);
  CHECK(beside("--shard 1/2", kPlan + "--shard 2/2") == 2);
  CHECK(beside("--shard 1/2", kPlan) == 2);
}

TEST_CASE("Sweep: a point beyond --timeout ends there, and a shorter one needn't try") {
  const std::string folder = place("slow");
  const std::string slow = "sweep --quiet --bench ccl --vary iters=1,1000 --out " + folder +
                           " --timeout {} -- -b 16M -e 16M -c 0 --algorithm ring_allreduce_tcm";
  has(run_kbsim(fmt::format(fmt::runtime(slow), 4)).out, "2 points: 0 known, 2 ran, 1 failed");
  has(contents(fs::path{folder} / "points.csv"), ",4,hadn't ended after 4 s (--timeout)");
  has(run_kbsim(fmt::format(fmt::runtime(slow), 3)).out, "2 points: 2 known (1 of them failed), 0 ran");
  fs::remove_all(folder);
}

TEST_CASE("Sweep: a point that needs more than --memory says so, and others run") {
  const std::string folder = place("large");
  const Outcome outcome = run_kbsim(
      "sweep --quiet --bench ccl_allreduce --set ccl.algorithms.intercube_allreduce.n_elem=8,4000000 "
      "--memory 500MiB --out " +
      folder);
  CHECK(outcome.exit == 0);
  has(outcome.out, "2 points: 0 known, 2 ran, 1 failed");
  has(contents(fs::path{folder} / "points.csv"), "needs about 1.3 GiB of memory");
  fs::remove_all(folder);
}

TEST_CASE("Sweep: workers and the master are killed, and the tables are those of a sweep that wasn't") {
  const std::string folder = place("killed");
  const std::string killed = fmt::format(
      "for delay in 0.02 0.1 0.2; do $KBSIM {0} --out {1} & master=$!; sleep $delay; "
      "kill -9 $(cat /proc/$master/task/$master/children 2>/dev/null | cut -d' ' -f1) 2>/dev/null; "
      "sleep 0.05; kill -9 $master 2>/dev/null; wait $master; done; $KBSIM {0} --out {1}",
      kPlan, folder);
  const Outcome outcome = run_script(killed);
  CHECK(outcome.exit == 0);
  CHECK(tables_in(folder) == undisturbed());
  fs::remove_all(folder);
}

// Each has a quarter of its share after a point, so that another takes its place.
TEST_CASE("Sweep: workers that have grown are replaced, and the points go on" *
          doctest::skip(kbsim::test::kSanitized)) {
  const std::string folder = place("grown");
  const Outcome outcome = run_script("timeout 60 $KBSIM " + kSmall +
                                     "--set system.sips.count=2..5 --memory 64MiB --jobs 1 --out " + folder);
  CHECK(outcome.exit == 0);
  has(outcome.out, "4 points: 0 known, 4 ran, 0 failed");
  fs::remove_all(folder);
}

TEST_CASE("Sweep: tables are of the points that are asked for, though nothing is left to run") {
  const std::string folder = place("more");
  CHECK(run_kbsim(kSmall + "--set system.sips.count=2,3 --out " + folder).exit == 0);
  const std::string more = kSmall + "--set system.sips.count=2,3,4 --out " + folder;
  for (const char* shard : {"1/2", "2/2"}) CHECK(run_kbsim(more + " --shard " + shard).exit == 0);
  has(run_kbsim(more).out, "3 points: 3 known, 0 ran");
  const std::string points = contents(fs::path{folder} / "points.csv");
  CHECK(std::ranges::count(points, '\n') == 4);
  fs::remove_all(folder);
}

// By GNU parallel where it is, else by xargs: two at a time.
TEST_CASE("Sweep: shards that run at the same time and a merge give the tables of one sweep") {
  const std::string folder = place("shards");
  const std::string shard = "$KBSIM " + kPlan + "--jobs 1 --out " + folder + " --shard {}/3";
  const Outcome outcome =
      run_script("if command -v parallel >/dev/null; then parallel -j 2 " + shard +
                 " ::: 1 2 3; else printf '1\\n2\\n3\\n' | xargs -P 2 -I{} " + shard + "; fi");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(run_kbsim("sweep merge " + folder).exit == 0);
  CHECK(tables_in(folder) == undisturbed());
  fs::remove_all(folder);
}

// MPI keeps memory to the end.
TEST_CASE("Sweep: four ranks of mpirun give the tables of one process") {
  if (run_script("command -v mpirun && test -e $(dirname $KBSIM)/libkbsim_mpi.so").exit != 0) return;
  const std::string folder = place("ranks");
  const Outcome outcome = run_script(
      "ASAN_OPTIONS=detect_leaks=0 timeout 120 mpirun --allow-run-as-root --oversubscribe -n 4 $KBSIM " +
      kPlan + "--out " + folder);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(tables_in(folder) == undisturbed());
  fs::remove_all(folder);
}

TEST_CASE("Sweep: mpirun that is killed goes on when it is given again") {
  if (run_script("command -v mpirun && test -e $(dirname $KBSIM)/libkbsim_mpi.so").exit != 0) return;
  const std::string folder = place("killed_ranks");
  const Outcome outcome = run_script(fmt::format(
      "ranks() {{ ASAN_OPTIONS=detect_leaks=0 timeout 120 mpirun --allow-run-as-root --oversubscribe -n 4 "
      "$KBSIM {0} --out {1}; }}; ranks & for i in $(seq 1000); do "
      "ls {1}/records/*.records >{1}.seen 2>&1 && break; sleep 0.01; done; "
      "for rank in $(pgrep -f -- '--out {1}$'); do kill -9 $rank; done; wait; ranks",
      kPlan, folder));
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(tables_in(folder) == undisturbed());
  fs::remove_all(folder);
  fs::remove(folder + ".seen");
}

TEST_CASE("Sweep: a disk that is full ends it, and what has ended is kept") {
  const std::string folder = place("full");
  const Outcome full = run_script("ulimit -f 2; timeout 60 $KBSIM " + kPlan + "--jobs 1 --out " + folder);
  CHECK(full.exit == 2);
  has(full.err, "File too large; ");
  const Outcome rest = run_kbsim(kPlan + "--out " + folder);
  CHECK(rest.exit == 0);
  CHECK(rest.out.find("9 points: 0 known") == std::string::npos);
  CHECK(tables_in(folder) == undisturbed());
  fs::remove_all(folder);
}

TEST_CASE("Sweep: a second one into a folder is refused while the first runs") {
  const std::string folder = place("two");
  const Outcome outcome =
      run_script(fmt::format("$KBSIM sweep --quiet --bench ccl_allreduce --set system.sips.count=2..16 "
                             "--jobs 1 --out {0} & first=$!; "
                             "while ! test -e {0}/plan.json; do sleep 0.01; done; $KBSIM {1} --out {0}; "
                             "code=$?; kill -9 $first; exit $code",
                             folder, kPlan));
  CHECK(outcome.exit == 2);
  fs::remove_all(folder);
}

TEST_CASE("Sweep: a point whose machine can't be built is reported as its run does, before all else") {
  const std::string bench = " --bench ccl --topology " KBSIM_SOURCE_DIR "/configs/router_vc.yaml";
  const std::string of_bench = " --algorithm ring_allreduce_tcm -b 4K -e 4K";
  const Outcome run = run_kbsim("run" + bench + of_bench + " --set cube.noc.router.vcs=1");
  CHECK(run.exit == 2);
  REQUIRE(run.err.starts_with(
      "kbsim: --set cube.noc.router.vcs=1: sip0.cube0.noc.r0_1: vcs: expected at least 4 "));
  const Outcome swept =
      run_script("$KBSIM sweep" + bench + " --set cube.noc.router.vcs=1,12 --out unbuilt --quiet --" +
                 of_bench + " >/dev/null; cat unbuilt/points.csv; rm -r unbuilt");
  const std::string prefix = "kbsim: ";
  const std::string refused = run.err.substr(prefix.size(), run.err.size() - prefix.size() - 1);
  CHECK_MESSAGE(swept.out.find(",2,\"" + refused + "\",") != std::string::npos, swept.out);
}

TEST_CASE("Sweep: mistakes are reported with their place, before anything runs") {
  const std::string folder = place("mistakes");
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const Outcome outcome = run_kbsim("sweep " + arguments + " --out " + folder);
    CHECK(outcome.exit == 2);
    has(outcome.err, why);
    CHECK_FALSE(fs::exists(fs::path{folder} / "records"));
  };
  const std::string plan = written("plan.yaml", "bench: ccl_allreduce\naxes:\n  cube.noc.bw: [1, 2]\n");
  refused(plan, ":3:3: axis cube.noc.bw: --set cube.noc.bw=1: cube.noc.bw: unknown key");
  refused("--bench ccl_allreduc", "did you mean 'ccl_allreduce'?");
  refused("--bench ccl_allreduce --set system.sips.count=4..2",
          "expected a last value that isn't below the first");
  refused("--bench ccl_allreduce --shard 4/3", "expected I/N with I from 1 to N");
  refused("--bench ccl_allreduce --verify 0%", "expected a share above 0");
  const Outcome own = run_kbsim("sweep --bench ccl_allreduce --out " + folder + " -- --json");
  CHECK(own.exit == 2);
  has(own.err, "has no place in a sweep");
  CHECK(run_kbsim("sweep --bench ccl_allreduce").exit == 2);
  refused("--bench ccl_allreduce --shard 1/2 --metric latency_ns", "a shard makes no tables");
  CHECK(run_kbsim("sweep merge /nowhere").exit == 2);
  CHECK(run_kbsim("sweep --bench gemm --vary --m=16,32 --dry-run").exit == 0);
  CHECK(run_kbsim("sweep merge . --pareto latency_ns").err == "kbsim: --pareto latency_ns: expected A,B\n");
  CHECK(run_kbsim("sweep merge . --pareto latency_ns,latency_ns").err ==
        "kbsim: --pareto latency_ns,latency_ns: expected two that differ; --metric takes one\n");
}

TEST_CASE("Sweep: a metric that no point has is reported with the first that ends, or at once") {
  const std::string folder = place("metric");
  const std::string sweep = kSmall + "--jobs 1 --set system.sips.count=2..40 --out " + folder;
  const Outcome first = run_kbsim(sweep + " --metric latncy_ns");
  CHECK(first.exit == 2);
  has(first.err, "--metric latncy_ns: a point has no such metric, did you mean 'latency_ns'?; ");
  has(first.out, "39 points: 0 known, ");
  CHECK(first.out.find(" 39 ran") == std::string::npos);
  const Outcome known = run_kbsim(sweep + " --pareto latency_ns,max:sip.count");
  CHECK(known.exit == 2);
  CHECK(known.out.empty());
  has(known.err, "--pareto sip.count: a point has no such metric (known: ");
  const Outcome right = run_kbsim(kSmall + "--set system.sips.count=2,3 --metric kernel --out " + folder);
  CHECK(right.exit == 0);
  has(right.out, "best of 2 points by kernel_ns");
  fs::remove_all(folder);
}

TEST_CASE("Sweep: a dry run reports a metric that no point has, by what is known or what it simulates") {
  const std::string folder = place("dry_metric");
  const std::string sweep = kSmall + "--set system.sips.count=2,3 --out " + folder;
  const std::string dry = sweep + " --dry-run";
  for (const bool known : {false, true}) {
    CAPTURE(known);
    if (known) CHECK(run_kbsim(sweep).exit == 0);
    for (const char* wrong : {" --metric latncy_ns", " --pareto latency_ns,max:latncy_ns"}) {
      const Outcome refused = run_kbsim(dry + wrong);
      CHECK(refused.exit == 2);
      CHECK(refused.out.empty());
      has(refused.err, " latncy_ns: a point has no such metric, did you mean 'latency_ns'?\n");
    }
    CHECK(run_kbsim(dry + " --metric kernel_ns --pareto latency_ns,system.sips.count").exit == 0);
    CHECK(run_kbsim(dry + " --metric kernel --pareto latency,system.sips.count").exit == 0);
  }
  fs::remove_all(folder);
}

TEST_CASE("Sweep: a merge with a metric that no point has leaves the tables as they are") {
  const std::string folder = place("merge_metric");
  CHECK(run_kbsim(kSmall + "--set system.sips.count=2,3 --out " + folder).exit == 0);
  CHECK(run_kbsim("sweep merge " + folder + " --metric latncy_ns").exit == 2);
  CHECK(run_kbsim("sweep merge " + folder + " --pareto latency_ns,nothing").exit == 2);
  CHECK(fs::exists(fs::path{folder} / "curve.csv"));
  fs::remove_all(folder);
}

TEST_CASE("Sweep: --dry-run prints the points and how long they may take, and writes nothing") {
  const std::string folder = place("dry");
  const Outcome outcome = run_kbsim(kPlan + "--dry-run --out " + folder);
  CHECK(outcome.exit == 0);
  has(outcome.out, "point,system.sips.count,cube.noc.link_bw_gbs\n0,2,128\n");
  has(outcome.out, "9 points, 9 to run: about ");
  CHECK_FALSE(fs::exists(folder));
}

}  // namespace kbsim::contract::sweep_test
