// Text that isn't UTF-8: names of ranges, plans and files.
#include <filesystem>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "kbsim/base/utf8.hpp"

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::odd_text_test {

using namespace kbsim::test;

namespace {

namespace fs = std::filesystem;

const std::string kKernel = " --plugin " KBSIM_BINARY
                            "/contract/plugins/plugin_odd_names.so "
                            "--set ccl.algorithms.intercube_allreduce.kernel=odd_names --timing-only";

// Every text there is UTF-8, and every JSON file is JSON. How many have `part`.
int require_readable(const fs::path& folder, const std::string& part) {
  int found = 0;
  for (const auto& entry : fs::recursive_directory_iterator{folder}) {
    const std::string end = entry.path().extension().string();
    if (!entry.is_regular_file() || end == ".pftrace" || end == ".png" || end == ".sqlite") continue;
    const std::string text = contents(entry.path());
    CHECK_MESSAGE(as_utf8(text) == text, entry.path().string());
    if (end == ".json") CHECK_NOTHROW_MESSAGE((void)boost::json::parse(text), entry.path().string());
    if (text.find(part) != std::string::npos) ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("A range of any name: results, page and traces are written, its odd byte escaped") {
  const fs::path folder = fresh_place("odd_range");
  fs::create_directories(folder);
  for (const char* format : {"json", "pftrace", "html", "svg"}) {
    const Outcome run = run_kbsim(kMainJob + kKernel + " --out " + (folder / format).string() + " --trace " +
                                  (folder / ("trace." + std::string{format})).string() + " --explain --json");
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    CHECK_NOTHROW((void)boost::json::parse(run.out));
  }
  CHECK(require_readable(folder, "xe9") >= 4 * 2 + 3);  // spans.json and report.html of each, and the traces
  CHECK(contents(folder / "trace.pftrace").find("caf\\xe9 \"a,b\" </script>") != std::string::npos);
  CHECK(run_kbsim("check " + (folder / "json").string()).exit == 0);
  fs::remove_all(folder);
}

TEST_CASE("A plan of any name is described and runs, its odd byte escaped") {
  const fs::path folder = fresh_place("odd_plan");
  std::string text = contents(fs::path{KBSIM_SOURCE_DIR} / "test/inputs/plans/custom_next.xml");
  const std::string name = "all_to_next_and_sum";
  const std::size_t at = text.find(name);
  REQUIRE(at != std::string::npos);
  const std::string plan = written("odd,\"`true`.xml", text.replace(at, name.size(), "caf\xe9,`b`"));
  const Outcome described = run_kbsim("ccl import '" + plan + "' --json");
  REQUIRE_MESSAGE(described.exit == 0, described.err);
  CHECK(boost::json::parse(described.out).at("name").as_string() == "caf\\xe9,`b`");
  const Outcome run = run_kbsim(
      "--topology topology.yaml --set system.sips.count=3 --bench ccl --minbytes 96 "
      "--maxbytes 96 --algorithm '" +
      plan + "' --json --out " + folder.string());
  REQUIRE_MESSAGE(run.exit == 0, run.err);
  CHECK_NOTHROW((void)boost::json::parse(run.out));
  CHECK(require_readable(folder, "odd,") >= 3);
  CHECK(contents(folder / "ccl_time.gp").find('`') == std::string::npos);
  fs::remove_all(folder);
}

TEST_CASE("A file of any name: a run and a sweep of it are written and read back") {
  const fs::path folder = fresh_place("odd_file");
  fs::create_directories(folder);
  const std::string machine = (folder / "caf\xe9 <!--.yaml").string();
  fs::copy_file(fs::path{KBSIM_SOURCE_DIR} / "configs/topology.yaml", machine);
  const std::string out = (folder / "run").string();
  const Outcome run = run_kbsim("--topology '" + machine + "' --bench ccl_allreduce --json --out " + out);
  REQUIRE_MESSAGE(run.exit == 0, run.err);
  CHECK(boost::json::parse(run.out).is_object());
  CHECK(require_readable(out, "xe9") >= 2);  // run.json and the page
  const std::string sweep = (folder / "sweep").string();
  const std::string command =
      "sweep --topology '" + machine + "' --bench ccl_allreduce --set system.sips.count=2,3 --out " + sweep;
  const Outcome swept = run_kbsim(command);
  REQUIRE_MESSAGE(swept.exit == 0, swept.err);
  CHECK(require_readable(sweep, "xe9") >= 2);  // points.csv and the page
  const Outcome again = run_kbsim(command);
  CHECK_MESSAGE(again.exit == 0, again.err);
  CHECK(again.out.find("2 known, 0 ran") != std::string::npos);
  fs::remove_all(folder);
}

}  // namespace kbsim::contract::odd_text_test
