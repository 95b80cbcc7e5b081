// Questions that a reader asks of a page. Each is answered by what stands at the top, or within three clicks.
#include <string>

#include <doctest/doctest.h>

#include "browser.hpp"
#include "command.hpp"
#include "files.hpp"
#include "report_page.hpp"

namespace kbsim::contract::report_page_questions_test {

using namespace kbsim::test;
using report_page_test::page_in;

namespace {

std::string folder_of(const std::string& name, const std::string& command, int exit = 0) {
  const std::string folder = fresh_place("question_" + name).string();
  const Outcome outcome = run_kbsim(command + " --quiet --out " + folder);
  REQUIRE_MESSAGE(outcome.exit == exit, outcome.err);
  return folder;
}

// A script that notes, by name, whether each expectation holds.
constexpr const char* kSay = "const say = (name, value) => { told += name + (value ? ' ' : ' NOT '); };";

}  // namespace

TEST_CASE("Report page, question: a ring is slow; slots hold it, and 16 of them take 47 % off") {
  const std::string folder =
      folder_of("ring",
                "--topology topology.yaml --bench ccl -b 1M -e 1M -c 0 --algorithm pipelined_ring_allreduce "
                "--set ccl.algorithms.pipelined_ring_allreduce.n_slots=4");
  if (!has_chromium()) return;
  CHECK(printed_by(page_in(folder),
                   std::string{kSay} +
                       "say('limit', byId('limit').textContent.includes('slot'));"
                       "const first = byId('try').querySelector('li');"
                       "say('try', first.textContent.startsWith('Try "
                       "ccl.algorithms.pipelined_ring_allreduce.n_slots = 16 (now 4): 47.'));"
                       "say('simulated', first.textContent.includes('simulated'));"
                       "first.querySelector('button').click();"
                       "say('command', first.querySelector('code.command').textContent.includes("
                       "'--set ccl.algorithms.pipelined_ring_allreduce.n_slots=16'));") ==
        "limit try simulated command ");
}

TEST_CASE("Report page, question: a product with a slow HBM is HBM-bound, at that HBM") {
  const std::string folder =
      folder_of("hbm", "--topology topology.yaml --bench gemm_single_pe --set cube.xbar_to_hbm_bw_gbs=4");
  if (!has_chromium()) return;
  CHECK(
      printed_by(page_in(folder),
                 std::string{kSay} +
                     "say('bound', byId('limit').textContent.includes('HBM-bound'));"
                     "const meter = [...byId('meters').querySelectorAll('tr')].find(one => "
                     "one.dataset.of?.endsWith('.hbm0'));"
                     "say('achieved', parseFloat(meter.querySelector('button').textContent) > 99);"
                     "meter.querySelector('button').click();"
                     "say('panel', app.picked.of === 'sip0.cube0.hbm0');"
                     "say('share', /share of the critical path(9[5-9]|100)/.test(byId('panel').textContent));"
                     "say('slider', byId('panel').textContent.includes('cube.xbar_to_hbm_bw_gbs'));") ==
      "bound achieved panel share slider ");
}

TEST_CASE("Report page, question: a transpose at full load; the links at two corners are the hottest") {
  const std::string folder = folder_of(
      "transpose", "traffic --topology topology.yaml --scope mesh:8x8 --pattern transpose --load 1");
  if (!has_chromium()) return;
  CHECK(printed_by(
            page_in(folder),
            std::string{kSay} +
                "const hottest = [...byId('hottest').querySelectorAll('button')].map(one => one.textContent);"
                "say('four', ['r7_7>r6_7', 'r7_6>r7_7', 'r0_1>r0_0', 'r0_0>r1_0'].every(one => "
                "hottest.slice(0, 4).includes(one)));"
                "say('sentence', byId('answer-sentence').textContent.includes('r7_6>r7_7'));"
                "byId('hottest').querySelector('button').click();"
                "const back = byId('panel').querySelector('p button.link');"
                "say('direction', app.picked.of === hottest[0] && (!back || back.textContent.startsWith("
                "'other direction')));") == "four sentence direction ");
}

TEST_CASE("Report page, question: a deadlock; who waits for whom stands in the page") {
  const std::string folder = folder_of(
      "deadlock",
      kMainJob + " --plugin " KBSIM_BINARY
                 "/contract/plugins/plugin_stuck.so --set ccl.algorithms.intercube_allreduce.kernel=stuck",
      8);
  if (!has_chromium()) return;
  CHECK(printed_by(page_in(folder),
                   std::string{kSay} +
                       "say('failed', byId('verdict').textContent.includes('deadlock'));"
                       "say('cycle', /sip0.cube0.pe0 recv E.*sip0.cube1.pe0 recv W/.test("
                       "document.querySelector('.cycles').textContent));"
                       "say('drawn', document.querySelectorAll('#drawing .stuck').length > 0);") ==
        "failed cycle drawn ");
}

namespace {

// A script that says which finding is the first, and that a click shows it in the panel.
constexpr const char* kFirstFinding =
    "const first = byId('findings').querySelector('li'); told += first.textContent + '|';"
    "(first.querySelector('button') ?? first).click(); told += app.picked?.kind;";

std::string ring(const std::string& setting) { return " --set ccl.algorithms.ring_allreduce_tcm." + setting; }

std::string first_finding(const std::string& folder) { return printed_by(page_in(folder), kFirstFinding); }

}  // namespace

TEST_CASE("Report page, question: a rank has more work than the others, and is named") {
  const std::string folder =
      folder_of("imbalance",
                "--topology topology.yaml --bench ccl_allreduce --algorithm ring_allreduce_tcm --set "
                "system.sips.count=4 --plugin " KBSIM_BINARY "/contract/plugins/plugin_straggles.so" +
                    ring("kernel=straggles") + ring("n_elem=64") + ring("slow_rank=2") + ring("extra=200") +
                    ring("slope=false"));
  if (!has_chromium()) return;
  const std::string found = first_finding(folder);
  CHECK_MESSAGE(found.starts_with("load imbalance: one rank has more work"), found);
  CHECK_MESSAGE(found.find("rank 2") != std::string::npos, found);
  CHECK_MESSAGE(found.ends_with("|finding"), found);
}

TEST_CASE("Report page, question: a model divided over packages; its communication is exposed") {
  const std::string folder =
      folder_of("exposed", "explain --topology topology.yaml --bench tp_mlp --of row:3");
  if (!has_chromium()) return;
  const std::string found = first_finding(folder);
  CHECK_MESSAGE(found.starts_with("exposed communication"), found);
  CHECK_MESSAGE(found.find("for messages of peers") != std::string::npos, found);
}

TEST_CASE("Report page, question: a product of one row; 31 of 32 parts of its tiles are padding") {
  const std::string folder = folder_of("padding",
                                       "explain --topology topology.yaml --bench gemm --m 1 --n 256 --k 256 "
                                       "--of row:1 --set pe.pe_gemm.macs_per_ns=64");
  if (!has_chromium()) return;
  const std::string found = first_finding(folder);
  CHECK_MESSAGE(found.find("65536 MACs are asked for and 2097152 done") != std::string::npos, found);
}

}  // namespace kbsim::contract::report_page_questions_test
