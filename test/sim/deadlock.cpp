#include "kbsim/sim/deadlock.hpp"

#include "kbsim/sim/channel.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/mailbox.hpp"
#include "kbsim/sim/semaphore.hpp"
#include "kbsim/sim/when_all.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::deadlock_test {
namespace {

std::string here(int line) { return "deadlock.cpp:" + std::to_string(line); }

constexpr int kReceiveLine = __LINE__ + 1;
Task<> receive(Mailbox<int>* box) { [[maybe_unused]] const auto got = co_await box->receive(); }

constexpr int kCallLine = __LINE__ + 3;
Task<> wait_then_receive(Simulation* sim, Mailbox<int>* box) {
  co_await sim->delay(7_ns);
  co_await receive(box);
}

Task<> collect(Mailbox<int>* box) {
  std::vector<int> items;
  co_await box->collect(items);
}
Task<> send(Channel<int>* channel) { co_await channel->send(1); }
Task<> take(Channel<int>* channel) { [[maybe_unused]] const auto got = co_await channel->receive(); }
Task<> wait(Event* event) { co_await event->wait(); }
Task<> join(Process other) { co_await other.join(); }
Task<> both(Simulation* sim, Event* event) { co_await when_all(sleep(sim, 1_ns), wait(event)); }

std::vector<Waiting> deadlock(Simulation& sim) {
  try {
    sim.run();
  } catch (const DeadlockError& error) {
    return error.waiting();
  }
  FAIL("run() must throw");
  return {};
}

}  // namespace

TEST_CASE("DeadlockError: says which process waits for what, since when and where, through all calls") {
  Simulation sim;
  Mailbox<int> box{sim, "sip0.noc"};
  sim.spawn("pe0", wait_then_receive(&sim, &box));
  const std::string expected =
      "deadlock at 7 ns: nothing is left to happen, and 1 process waits\n"
      "  pe0 waits for mailbox sip0.noc since 7 ns at " +
      here(kReceiveLine) + ", called at " + here(kCallLine);
  CHECK_THROWS_WITH_AS(sim.run(), expected.c_str(), DeadlockError);
}

TEST_CASE("DeadlockError: has the exit code of a deadlock and the parts of its text") {
  Simulation sim;
  Mailbox<int> box{sim, "b"};
  sim.spawn("p", receive(&box));
  try {
    sim.run();
  } catch (const DeadlockError& error) {
    CHECK(error.exit_code() == ExitCode::deadlock);
    REQUIRE(error.waiting().size() == 1);
    CHECK(error.waiting()[0].process == "p");
    CHECK(error.waiting()[0].at[0].line == kReceiveLine);
  }
}

TEST_CASE("DeadlockError: names everything that can be waited for") {
  Simulation sim;
  Mailbox<int> box{sim, "m"};
  Channel<int> full{sim, "full", 0};
  Channel<int> empty{sim, "empty", 1};
  Event event{sim, "e"};
  sim.spawn("1", collect(&box));
  sim.spawn("2", send(&full));
  sim.spawn("3", take(&empty));
  const Process waiter = sim.spawn("4", wait(&event));
  sim.spawn("5", join(waiter));
  sim.spawn("6", sleep_for_ever(&sim));
  sim.spawn("7", both(&sim, &event));
  std::vector<std::string> what;
  for (const Waiting& one : deadlock(sim)) what.push_back(one.process + " " + one.what);
  CHECK(what == std::vector<std::string>{"1 mailbox m", "2 send on channel full",
                                         "3 receive on channel empty", "4 event e", "5 the end of process 4",
                                         "6 a time that never comes", "7 event e"});
}

TEST_CASE("LimitError: the awaited object may be gone when a waiting process has its turn") {
  for (const bool shuffled : {false, true}) {
    Simulation sim{
        {.shuffle_ties = shuffled ? std::optional<std::uint64_t>{1} : std::nullopt, .max_events = 5}};
    auto event = std::make_unique<Event>(sim, std::string{"an event with a name that isn't short"});
    auto semaphore = std::make_unique<Semaphore>(sim, "a semaphore with a name that isn't short", 0);
    auto channel = std::make_unique<Channel<int>>(sim, "a channel with a name that isn't short", 0);
    sim.spawn("1", wait(event.get()));
    sim.spawn("2", [](Semaphore* s) -> Task<> { co_await s->take(); }(semaphore.get()));
    sim.spawn("3", send(channel.get()));
    sim.spawn("4", [](Simulation* s, auto* e, auto* places, auto* c) -> Task<> {
      co_await s->delay(1_ns);
      (*e)->set();
      (*places)->give();
      CHECK((*c)->try_receive() == 1);
      e->reset(), places->reset(), c->reset();
      for (;;) co_await s->delay(1_ns);
    }(&sim, &event, &semaphore, &channel));
    std::vector<std::string> what;
    try {
      sim.run();
      FAIL("run() must throw");
    } catch (const LimitError& error) {
      for (const Waiting& one : error.waiting()) what.push_back(one.what);
    }
    CHECK(what == std::vector<std::string>{"event (its turn has come)", "semaphore (its turn has come)",
                                           "send on channel (its turn has come)", "time 2 ns"});
  }
}

TEST_CASE("DeadlockError: components may wait for ever and aren't listed") {
  Simulation sim;
  Mailbox<int> box{sim, "m"};
  sim.serve("component", receive(&box));
  CHECK_NOTHROW(sim.run());
  sim.spawn("p", receive(&box));
  const std::vector<Waiting> waiting = deadlock(sim);
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].process == "p");
}

TEST_CASE("DeadlockError: lists fifty processes and counts the others") {
  Simulation sim;
  for (int i = 0; i < 53; ++i) sim.spawn("p" + std::to_string(i), sleep_for_ever(&sim));
  CHECK_THROWS_WITH(sim.run(), doctest::Contains("and 3 more"));
}

}  // namespace kbsim::test::deadlock_test
