// Kernels over queues of one direction.
#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/tl/kernel.hpp"

#include "collectives.hpp"

namespace kbsim::test::one_way_ring_test {
namespace {

Task<> sends_west(TL& tl, CollectiveArgs) { co_await tl.send({.dir = Dir::W, .src = tl.zeros({1}, f16)}); }
KBSIM_KERNEL(sends_west, "sends W, whatever is there");

Task<> receives_east(TL& tl, CollectiveArgs) {
  [[maybe_unused]] const Tile tile = co_await tl.recv({.dir = Dir::E, .shape = {1}, .dtype = f16});
}
KBSIM_KERNEL(receives_east, "receives E, whatever is there");

Task<> receives_west(TL& tl, CollectiveArgs) {
  [[maybe_unused]] const Tile tile = co_await tl.recv({.dir = Dir::W, .shape = {1}, .dtype = f16});
}
KBSIM_KERNEL(receives_west, "receives W, which nobody sends");

Collective one_way(const char* kernel) {
  Collective c = collective("ring_allreduce_tcm", machine_of(3), 2, 8);
  c.algorithm.kernel = kernel;
  c.algorithm.topology = "ring_1d_unidir";
  return c;
}

void check_fails_everywhere(const char* kernel, const char* says) {
  const Collective c = one_way(kernel);
  CAPTURE(kernel);
  CHECK_THROWS_WITH_AS((void)in_mock(c, inputs(c)), doctest::Contains(says), Error);
  CHECK_THROWS_WITH_AS((void)on_machine(c, inputs(c)), doctest::Contains(says), Error);
}

}  // namespace

TEST_CASE("checklist 15: a kernel that goes the other way round a ring of one direction is refused") {
  check_fails_everywhere("sends_west", "send: queue 'W' on sip0.cube0.pe0 receives only");
  check_fails_everywhere("receives_east", "recv: queue 'E' on sip0.cube0.pe0 sends only");
}

TEST_CASE("checklist 15: a receive along one direction without a send is a deadlock with both ends") {
  check_fails_everywhere("receives_west", "sip1.cube0.pe0 recv W ← sip0.cube0.pe0 send E: never issued");
}

TEST_CASE("checklist 15: a ring of one direction reduces as a ring of both does") {
  for (const int world : {2, 3, 8}) {
    for (const config::BufferKind kind : {config::BufferKind::tcm, config::BufferKind::hbm}) {
      Collective c = collective("ring_allreduce_tcm", machine_of(world), 1, 200);
      c.algorithm.topology = "ring_1d_unidir";
      c.algorithm.buffer_kind = kind;
      CHECK(on_machine(c, inputs(c)) == expected(c, inputs(c)));
    }
  }
}

}  // namespace kbsim::test::one_way_ring_test
