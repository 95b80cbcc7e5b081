#include "kbsim/sim/channel.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

/// Has no move, and `*left` copies left.
struct Stubborn {
  Stubborn(std::string what, int* left) : text{std::move(what)}, copies{left} {}
  Stubborn(const Stubborn& other) : text{other.text}, copies{other.copies} {
    if (*copies == 0) throw std::runtime_error{"no copy left"};
    --*copies;
  }
  Stubborn& operator=(const Stubborn&) = delete;
  ~Stubborn() = default;
  std::string text;
  int* copies;
};

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

TEST_CASE("Channel: an item that throws as it is copied stays where it is, and waiting receivers wait on") {
  for (const std::size_t capacity : {0U, 1U, 9U}) {
    CAPTURE(capacity);
    int copies = 1000;
    Simulation sim;
    Channel<Stubborn> channel{sim, "c", capacity};
    std::vector<std::string> got;
    std::vector<std::string> expected{"received"};
    const Process receiver = sim.spawn("receiver", [](auto* in, auto* to) -> Task<> {
      const Stubborn item = co_await in->receive();
      to->push_back(item.text);
    }(&channel, &got));
    CHECK_THROWS_AS(sim.run(), DeadlockError);
    Stubborn item{"received", &copies};
    copies = 0;
    CHECK_THROWS_AS((void)channel.try_send(item), std::runtime_error);
    copies = 1000;
    CHECK(channel.try_send(item));
    sim.run();
    CHECK(receiver.done());

    for (std::size_t i = 0; i < capacity; ++i) {
      Stubborn one{"item " + std::to_string(i), &copies};
      for (int few = 0; channel.size() == i; ++few) {  // its own, and those of a ring that grows
        copies = few;
        try {
          (void)channel.try_send(one);
        } catch (const std::runtime_error&) {
          CHECK(channel.size() == i);
        }
      }
      expected.push_back(one.text);
    }
    copies = 1000;
    const Process sender = sim.spawn("sender", [](auto* out, int* left) -> Task<> {
      co_await out->send(Stubborn{"sent", left});
    }(&channel, &copies));
    CHECK_THROWS_AS(sim.run(), DeadlockError);
    expected.emplace_back("sent");
    copies = 0;
    CHECK_THROWS_AS((void)channel.try_receive(), std::runtime_error);
    CHECK_THROWS_AS(sim.run(), DeadlockError);  // the sender has its item still
    copies = 1000;
    while (const auto next = channel.try_receive()) got.push_back(next->text);
    sim.run();
    CHECK(sender.done());
    CHECK(got == expected);
  }
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
