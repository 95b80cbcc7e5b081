#include "kbsim/sim/channel.hpp"

#include <memory>

#include "kbsim/sim/deadlock.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::channel_test {
namespace {

using Ints = Channel<int>;

Task<> produce(Simulation* sim, Ints* out, Trace* trace, int first, int n) {
  for (int i = first; i < first + n; ++i) {
    co_await out->send(i);
    note(trace, *sim, "sent " + std::to_string(i));
  }
}

Task<> consume(Simulation* sim, Ints* in, Trace* trace, Time pace, int n) {
  for (int i = 0; i < n; ++i) {
    co_await sim->delay(pace);
    const int got = co_await in->receive();
    note(trace, *sim, "got " + std::to_string(got));
  }
}

Task<> receive_one(Simulation* sim, Ints* in, Trace* trace, std::string name) {
  const int got = co_await in->receive();
  note(trace, *sim, name + " got " + std::to_string(got));
}

Task<> send_boxed(Channel<std::unique_ptr<int>>* out) { co_await out->send(std::make_unique<int>(4)); }
Task<> receive_boxed(Channel<std::unique_ptr<int>>* in, int* got) {
  const std::unique_ptr<int> box = co_await in->receive();
  *got = *box;
}

Task<> send_counted(Channel<Counted>* out, int* alive) { co_await out->send(Counted{alive}); }
Task<> receive_counted(Channel<Counted>* in) { const Counted got = co_await in->receive(); }

}  // namespace

TEST_CASE("Channel: send waits only while it is full, and each receive lets one sender go") {
  Simulation sim;
  Ints channel{sim, "c", 2};
  Trace trace;
  sim.spawn("producer", produce(&sim, &channel, &trace, 0, 4));
  sim.spawn("consumer", consume(&sim, &channel, &trace, 10_ns, 4));
  sim.run();
  CHECK(trace == Trace{"sent 0@0 ns", "sent 1@0 ns", "got 0@10 ns", "sent 2@10 ns", "got 1@20 ns",
                       "sent 3@20 ns", "got 2@30 ns", "got 3@40 ns"});
}

TEST_CASE("Channel: operations that can end now cost no event") {
  Simulation sim;
  Ints channel{sim, "c", 4};
  Trace trace;
  sim.spawn("producer", produce(&sim, &channel, &trace, 0, 4));
  sim.run();
  CHECK(sim.events() == 1);
  CHECK(channel.size() == 4);
}

TEST_CASE("Channel: waiting receivers are served in the order of their waits") {
  Simulation sim;
  Ints channel{sim, "c", 1};
  Trace trace;
  sim.spawn("a", receive_one(&sim, &channel, &trace, "a"));
  sim.spawn("b", receive_one(&sim, &channel, &trace, "b"));
  sim.spawn("producer", produce(&sim, &channel, &trace, 0, 2));
  sim.run();
  CHECK(trace == Trace{"sent 0@0 ns", "sent 1@0 ns", "a got 0@0 ns", "b got 1@0 ns"});
}

TEST_CASE("Channel: waiting senders are served in the order of their waits") {
  Simulation sim;
  Ints channel{sim, "c", 1};
  Trace trace;
  sim.spawn("p", produce(&sim, &channel, &trace, 0, 2));
  sim.spawn("q", produce(&sim, &channel, &trace, 10, 1));
  sim.spawn("consumer", consume(&sim, &channel, &trace, 1_ns, 3));
  sim.run();
  CHECK(trace ==
        Trace{"sent 0@0 ns", "got 0@1 ns", "sent 1@1 ns", "got 1@2 ns", "sent 10@2 ns", "got 10@3 ns"});
}

TEST_CASE("Channel: capacity 0 is a rendezvous") {
  Simulation sim;
  Ints channel{sim, "c", 0};
  Trace trace;
  sim.spawn("producer", produce(&sim, &channel, &trace, 0, 2));
  sim.spawn("consumer", consume(&sim, &channel, &trace, 5_ns, 2));
  sim.run();
  CHECK(trace == Trace{"got 0@5 ns", "sent 0@5 ns", "got 1@10 ns", "sent 1@10 ns"});
}

TEST_CASE("Channel: try_send and try_receive never wait") {
  Simulation sim;
  Channel<std::unique_ptr<int>> channel{sim, "c", 1};
  auto first = std::make_unique<int>(1);
  auto second = std::make_unique<int>(2);
  CHECK(channel.try_send(first));
  CHECK(!channel.try_send(second));
  CHECK(second != nullptr);
  CHECK(**channel.try_receive() == 1);
  CHECK(!channel.try_receive().has_value());
}

TEST_CASE("Channel: items that can only be moved pass through") {
  Simulation sim;
  Channel<std::unique_ptr<int>> channel{sim, "c", 1};
  int got = 0;
  sim.spawn("receive", receive_boxed(&channel, &got));
  sim.spawn("send", send_boxed(&channel));
  sim.run();
  CHECK(got == 4);
}

TEST_CASE("Channel: a cancelled waiter leaves the line with what it holds") {
  Simulation sim;
  int alive = 0;
  Channel<Counted> channel{sim, "c", 0};
  const Process first = sim.spawn("first", send_counted(&channel, &alive));
  const Process second = sim.spawn("second", send_counted(&channel, &alive));
  CHECK_THROWS_AS(sim.run(), Error);
  CHECK(alive == 2);
  first.cancel();
  CHECK(alive == 1);
  sim.spawn("receiver", receive_counted(&channel));
  sim.run();
  CHECK(second.done());
  CHECK(alive == 0);
}

TEST_CASE("Channel: a cancelled receiver leaves the line") {
  Simulation sim;
  Ints channel{sim, "c", 1};
  Trace trace;
  const Process first = sim.spawn("first", receive_one(&sim, &channel, &trace, "first"));
  sim.spawn("second", receive_one(&sim, &channel, &trace, "second"));
  CHECK_THROWS_AS(sim.run(), Error);
  first.cancel();
  sim.spawn("producer", produce(&sim, &channel, &trace, 7, 1));
  sim.run();
  CHECK(trace == Trace{"sent 7@0 ns", "second got 7@0 ns"});
}

TEST_CASE("Channel: a receiver that is cancelled or gone when it has its item drops that item") {
  int alive = 0;
  {
    Simulation sim;
    Channel<Counted> channel{sim, "c", 1};
    const Process receiver = sim.spawn("receiver", receive_counted(&channel));
    sim.spawn("sender", [](Channel<Counted>* out, int* count, Process to) -> Task<> {
      co_await out->send(Counted{count});
      CHECK(*count == 1);
      to.cancel();
      CHECK(*count == 0);
    }(&channel, &alive, receiver));
    sim.run();
    CHECK(receiver.done());
  }
  {
    Simulation sim{{.max_events = 2}};
    Channel<Counted> channel{sim, "c", 1};
    sim.spawn("receiver", receive_counted(&channel));
    sim.spawn("sender", send_counted(&channel, &alive));
    CHECK_THROWS_WITH_AS(sim.run(), doctest::Contains("receive on channel (it has its item) since 0 ns"),
                         LimitError);
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

TEST_CASE("Channel: a wait that has a name may be awaited later, and again") {
  Simulation sim;
  Ints channel{sim, "c", 2};
  Trace trace;
  sim.spawn("both", [](Simulation* s, Ints* ints, Trace* got) -> Task<> {
    auto sending = ints->send(5);
    auto receiving = ints->receive();
    auto pause = s->delay(2_ns);
    co_await s->delay(1_ns);
    co_await sending;
    const int first = co_await receiving;
    co_await pause;
    note(got, *s, std::to_string(first));
    co_await ints->send(6);
    const int second = co_await receiving;
    note(got, *s, std::to_string(second));
  }(&sim, &channel, &trace));
  sim.run();
  CHECK(trace == Trace{"5@2 ns", "6@2 ns"});
}

TEST_CASE("Channel: keeps its order while its ring grows and wraps") {
  Simulation sim;
  Ints channel{sim, "c", 1000};
  int next_in = 0;
  int next_out = 0;
  for (int round = 1; round < 40; ++round) {
    for (int i = 0; i < round; ++i) CHECK(channel.try_send(next_in++));
    for (int i = 0; i < round / 2; ++i) CHECK(channel.try_receive() == next_out++);
  }
  while (next_out < next_in) CHECK(channel.try_receive() == next_out++);
}

TEST_CASE("Channel: may go away before those that wait for it") {
  int alive = 0;
  Simulation sim;
  {
    Channel<Counted> channel{sim, "c", 1};
    sim.spawn("a", send_counted(&channel, &alive));
    sim.spawn("b", send_counted(&channel, &alive));
    CHECK_THROWS_AS(sim.run(), Error);
    CHECK(alive == 2);
  }
  CHECK(alive == 1);
  CHECK_THROWS_WITH_AS(sim.run(), doctest::Contains("send on channel (destroyed meanwhile)"), Error);
  sim.clear();
  CHECK(alive == 0);
}

}  // namespace kbsim::test::channel_test
