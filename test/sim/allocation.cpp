#include <atomic>
#include <cstdlib>
#include <new>

#include "kbsim/sim/channel.hpp"
#include "kbsim/sim/mailbox.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KBSIM_COUNTS_NOTHING
#endif
#endif

#ifndef KBSIM_COUNTS_NOTHING

namespace {
std::atomic<std::uint64_t> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

using namespace kbsim;
using namespace kbsim::test;

namespace {

Task<int> child(Simulation* sim) {
  co_await sim->delay(1_ps);
  co_return 1;
}

Task<> stage(Simulation* sim, Channel<int>* in, Channel<int>* out, Mailbox<int>* box) {
  for (;;) {
    const int item = co_await in->receive();
    const int one = co_await child(sim);
    co_await sim->delay(3_ns);
    box->post(sim->now() + 5_ns, item + one);
    const int back = co_await box->receive();
    co_await sim->late();
    sim->spawn("short", sleep(sim, 2_ns));
    co_await out->send(back);
  }
}

Task<> count(Simulation* sim, std::uint64_t* before, std::uint64_t* after) {
  co_await sim->delay(10_us);
  *before = allocations;
  co_await sim->delay(1000_us);
  *after = allocations;
}

}  // namespace

TEST_CASE("Simulation: allocates nothing in steady state") {
  Simulation sim{{.max_events = 2'000'000}};
  Channel<int> forth{sim, "forth", 2};
  Channel<int> back{sim, "back", 2};
  Mailbox<int> box{sim, "box"};
  std::uint64_t before = 1;
  std::uint64_t after = 2;
  sim.serve("a", stage(&sim, &forth, &back, &box));
  sim.serve("b", stage(&sim, &back, &forth, &box));
  sim.serve("count", count(&sim, &before, &after));
  CHECK(forth.try_send(0));
  CHECK_THROWS_AS(sim.run(), Error);
  CHECK(sim.now() > 1010_us);
  CHECK(after == before);
}

#endif
