// Kernels that never end: the report names the PEs, what they wait for, and where.
#include "suite.hpp"

namespace kbsim::test {
namespace {

constexpr const char* kHere = "deadlocks.cpp:";

Task<> receives_first(TL& tl, BackendArgs args) {
  const Dir other = tl.program_id(1) == 0 ? Dir::E : Dir::W;
  const Tile got = co_await tl.recv({.dir = other, .shape = {kRow}});
  co_await tl.send({.dir = other, .src = got});
  co_await tl.store(args.mine, got);
}

Task<> sends_two(TL& tl, BackendArgs) {
  co_await tl.send({.dir = Dir::E, .src = tl.zeros({2}, f16)});
  co_await tl.send({.dir = Dir::E, .src = tl.zeros({2}, f16)});
}

Task<> detaches_a_recv(TL& tl, BackendArgs) {
  tl.recv({.dir = Dir::W, .shape = {2}}).detach();
  co_return;
}

Task<> receives_into_memory_first(TL& tl, BackendArgs args) {
  const Dir other = tl.program_id(1) == 0 ? Dir::E : Dir::W;
  co_await tl.recv({.dir = other, .shape = {kRow}, .dst = args.mine});
}

void deadlock(const RunPair& run) {
  check_fails(run(receives_into_memory_first, receives_into_memory_first, 1),
              {"first on sip0.cube0.pe0 waits for event recv E since ", kHere,
               "\ncycle:\n  sip0.cube0.pe0 recv E ← sip0.cube1.pe0 send W: never issued\n"});
  check_fails(run(receives_first, receives_first, 1),
              {"deadlock at ", "first on sip0.cube0.pe0 waits for event recv E since ",
               "second on sip0.cube1.pe0 waits for event recv W since ", kHere,
               "\ncycle:\n  sip0.cube0.pe0 recv E ← sip0.cube1.pe0 send W: never issued\n"
               "  sip0.cube1.pe0 recv W ← sip0.cube0.pe0 send E: never issued\n",
               "\nqueues:\n"
               "  sip0.cube0.pe0 E with sip0.cube1.pe0 W: slots 1 my_head 0 peer_tail 0 peer_head 0 taken 0 "
               "my_tail 0 sends_waiting 0 recvs_waiting 1\n"});
  check_fails(run(sends_two, idle, 1), {"first on sip0.cube0.pe0 waits for event send E since ", kHere,
                                        "\nwaits:\n  sip0.cube0.pe0 send E ← sip0.cube1.pe0 recv W: never "
                                        "issued, and no kernel runs there\n"});
  check_fails(run(idle, detaches_a_recv, 1),
              {"second on sip0.cube1.pe0 waits for event recv W since ", kHere});
}

Task<> meets_twice(TL& tl, BackendArgs) {
  co_await tl.barrier();
  co_await tl.barrier();
}

Task<> meets_once(TL& tl, BackendArgs) { co_await tl.barrier(); }

void barrier_deadlock(const RunPair& run) {
  check_fails(run(meets_twice, meets_once, 1),
              {"deadlock at ", "first on sip0.cube0.pe0 waits for event barrier 2 since ", kHere,
               "\nwaits:\n  sip0.cube0.pe0 barrier 2 ← sip0.cube1.pe0: has ended without it",
               "\nbarriers:\n  barrier 2: sip0.cube0.pe0 has come; missing: sip0.cube1.pe0"});
  check_fails(run(meets_once, receives_first, 1),
              {"\ncycle:\n  sip0.cube1.pe0 recv W ← sip0.cube0.pe0 send E: never issued\n"
               "  sip0.cube0.pe0 barrier 1 ← sip0.cube1.pe0: has not come\n",
               "\nbarriers:\n  barrier 1: sip0.cube0.pe0 has come; missing: sip0.cube1.pe0"});
}

Task<> waits_without_sender(TL& tl, BackendArgs args) {
  const Ptr word{.va = args.mine.va, .dtype = i32};
  co_await tl.store(word, tl.zeros({1}, i32));
  co_await tl.atomic_add(word, 2);
  co_await tl.wait_signal({.signal = word, .at_least = 3});
}

void signal_deadlock(const RunPair& run) {
  check_fails(run(waits_without_sender, idle, 1),
              {"deadlock at ", "first on sip0.cube0.pe0 waits for event wait_signal at 0x",
               " for at least 3 since ", kHere, "\n  sip0.cube0.pe0 wait_signal at 0x",
               " for at least 3 ← no PE is known: no put to it is under way"});
}

}  // namespace

std::vector<BackendCase> deadlock_cases() {
  return {
      {"a deadlock says who waits for what, where", deadlock},
      {"a PE that doesn't come to a barrier is named by those who stand in it", barrier_deadlock},
      {"a signal that never comes is a deadlock that names word and value", signal_deadlock},
  };
}

}  // namespace kbsim::test
