#include "kbsim/evaluate/attention_run.hpp"

#include <doctest/doctest.h>

#include "kbsim/evaluate/covered.hpp"

namespace kbsim::evaluate::test::attention_run_test {
namespace {

AttentionRun run_of(const AttentionProblem& problem, const config::CclSettings& slots = {}) {
  AttentionRun run;
  host::Session session{machine_of(problem, {}), line_of(problem, slots), {.replay_threads = 1}};
  host::World world;
  host::Rank main{session, world, 0};
  (void)session.sim().spawn("attention", main.run(run_attention(main, problem, &run)));
  session.run();
  return run;
}

}  // namespace

TEST_CASE("covered: what overlaps counts once, and gaps don't") {
  CHECK(covered({}) == Time{});
  CHECK(covered({{5_ns, 9_ns}, {1_ns, 3_ns}}) == 6_ns);
  CHECK(covered({{1_ns, 9_ns}, {2_ns, 3_ns}, {8_ns, 10_ns}, {10_ns, 11_ns}}) == 10_ns);
}

TEST_CASE("run_attention: a rank alone never waits; neighbours that seldom look are waited for") {
  AttentionProblem alone{.mesh = {.h_q = 2, .d = 16, .s_q = 8, .s_kv = 8}};
  CHECK(run_of(alone).communication_share == 0.0);
  for (const bool decode : {false, true}) {
    AttentionProblem shared = alone;
    shared.decode = decode;
    shared.mesh.ranks = 4;
    const AttentionRun prompt = run_of(shared);
    const AttentionRun seldom =
        run_of(shared, {.backpressure = config::Backpressure::poll, .poll = 10'000_ns});
    CAPTURE(decode);
    CHECK(prompt.numbers.ok);
    CHECK(seldom.numbers.ok);
    CHECK(prompt.compute_share + prompt.communication_share < 1.0);
    CHECK(seldom.communication_share > prompt.communication_share);
    CHECK(seldom.communication_share > 0.4);
  }
}

}  // namespace kbsim::evaluate::test::attention_run_test
