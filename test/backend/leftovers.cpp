// Tiles that are sent and not received.
#include "suite.hpp"

namespace kbsim::test {
namespace {

Task<> sends_two_more(TL& tl, BackendArgs) {
  for (int i = 0; i < 2; ++i) co_await tl.send({.dir = Dir::E, .src = tl.full({2}, i, f16)});
}

Task<> receives_one(TL& tl, BackendArgs) { co_await tl.recv({.dir = Dir::W, .shape = {2}}); }

Task<> detaches_two(TL& tl, BackendArgs) {
  for (int i = 0; i < 2; ++i) tl.send({.dir = Dir::E, .src = tl.full({2}, i, f16)}).detach();
  co_return;
}

void check_left(const BackendOutcome& outcome) {
  check_fails(outcome, {"sip0.cube0.pe0 sent [2] f16 to sip0.cube1.pe0 at leftovers.cpp:",
                        "not received it from 'W'", "the launch has ended", "carries_over: true"});
}

void not_received(const RunPair& run) {
  for (const BackendKernel sends : {BackendKernel{sends_two_more}, BackendKernel{detaches_two}}) {
    for (const int slots : {2, 4}) {
      CAPTURE(slots);
      check_left(run(sends, receives_one, slots));
    }
  }
}

void is_not_received(const RunPair& run) { check_left(run(sends_two_more, idle, 2)); }

}  // namespace

std::vector<BackendCase> leftover_cases() {
  return {
      {"a launch that leaves a tile in a slot is a fault that names sender, line and receiver", not_received},
      {"so it is if the receiver has ended before", is_not_received},
  };
}

}  // namespace kbsim::test
