#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "kbsim/sim/detail/dense_wheel.hpp"
#include "kbsim/sim/detail/event_queue.hpp"

#include "doctest/doctest.h"

namespace kbsim::test::wheel_test {

using detail::DenseWheel;
using detail::EventQueue;
using detail::Wheel;

namespace {

struct Event : detail::TimedEvent {
  Event() : TimedEvent{nullptr} {}
};

/// The obvious queue: equal keys of a multimap keep the order of their insertion.
class Reference {
 public:
  void insert(Event& event) { order_.emplace(event.when, &event); }
  void erase(const Event& event) {
    auto [it, end] = order_.equal_range(event.when);
    while (it != end && it->second != &event) ++it;
    order_.erase(it);
  }
  [[nodiscard]] bool empty() const { return order_.empty(); }
  std::vector<Event*> take() {
    std::vector<Event*> same;
    const Time when = order_.begin()->first;
    while (!empty() && order_.begin()->first == when) {
      same.push_back(order_.begin()->second);
      order_.erase(order_.begin());
    }
    return same;
  }

 private:
  std::multimap<Time, Event*> order_;
};

template <class Queue>
std::vector<Event*> take(Queue& queue) {
  detail::List rest;
  std::vector<Event*> same{static_cast<Event*>(queue.take(rest))};
  while (!rest.empty()) same.push_back(static_cast<Event*>(&rest.pop_front()));
  return same;
}

/// Grows and shrinks: of 2000 steps most insert, of the next 2000 most take.
template <class Queue>
void compare_with_reference(Queue& wheel, std::uint64_t seed, unsigned max_bits) {
  std::mt19937_64 random{seed};
  Reference reference;
  std::vector<std::unique_ptr<Event>> events(500);
  for (auto& event : events) event = std::make_unique<Event>();
  for (int step = 0; step < 20'000; ++step) {
    Event& event = *events[random() % events.size()];
    const bool shrinks = step / 2000 % 2 == 1;
    if constexpr (requires { wheel.look(); }) {
      if (random() % 16 == 0) wheel.look();
    }
    if (random() % 8 < (shrinks ? 6U : 1U) && !reference.empty()) {
      const std::vector<Event*> expected = reference.take();
      REQUIRE(take(wheel) == expected);
      REQUIRE(wheel.time() == expected.front()->when);
    } else if (event.linked()) {
      event.unlink();
      reference.erase(event);
    } else {
      const auto distance = static_cast<std::int64_t>(random() >> (64 - 1 - random() % max_bits));
      event.when =
          distance < (kForever - wheel.time()).count() ? wheel.time() + Time{distance} : wheel.time();
      wheel.insert(event);
      reference.insert(event);
    }
  }
  while (!reference.empty()) REQUIRE(take(wheel) == reference.take());
  detail::List rest;
  CHECK(wheel.take(rest) == nullptr);
}

}  // namespace

TEST_CASE_TEMPLATE("Queues: random insertions, departures and takings give the order of a sorted list", Queue,
                   Wheel, DenseWheel, EventQueue) {
  for (const unsigned max_bits : {4U, 9U, 17U, 26U, 40U, 62U}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      CAPTURE(max_bits);
      CAPTURE(seed);
      Queue queue;
      compare_with_reference(queue, seed, max_bits);
    }
  }
}

TEST_CASE("EventQueue: the order is that of a sorted list wherever it changes its wheel") {
  for (const EventQueue::Policy policy : {EventQueue::Policy{1, 1}, {8, 2}, {64, 32}, {200, 199}}) {
    for (const unsigned max_bits : {2U, 9U, 40U, 62U}) {
      CAPTURE(policy.many);
      CAPTURE(max_bits);
      EventQueue queue{policy};
      compare_with_reference(queue, policy.many, max_bits);
    }
  }
}

TEST_CASE("EventQueue: is dense above `many` events, and in lists again below `few`") {
  EventQueue queue{{.many = 50, .few = 20}};
  std::vector<Event> events(100);
  const auto insert = [&queue](Event& event, Time when) {
    event.when = when;
    queue.insert(event);
  };
  for (std::size_t i = 0; i < 49; ++i) insert(events[i], 1_us + Time{static_cast<std::int64_t>(i)});
  queue.look();
  CHECK_FALSE(queue.is_dense());
  insert(events[49], 1_us + 49_ps);
  insert(events[50], 1_ns);
  queue.look();
  CHECK(queue.is_dense());
  CHECK(take(queue) == std::vector<Event*>{&events[50]});
  for (std::size_t i = 0; i < 30; ++i) CHECK(take(queue) == std::vector<Event*>{&events[i]});
  CHECK(queue.is_dense());
  CHECK(take(queue) == std::vector<Event*>{&events[30]});
  CHECK_FALSE(queue.is_dense());
  for (std::size_t i = 31; i < 50; ++i) CHECK(take(queue) == std::vector<Event*>{&events[i]});
  detail::List rest;
  CHECK(queue.take(rest) == nullptr);
}

TEST_CASE("EventQueue: events that leave don't make it dense, and leave it whatever it is") {
  EventQueue queue{{.many = 50, .few = 20}};
  std::vector<Event> events(60);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < 40; ++i) {
      events[i].when = 1_us;
      queue.insert(events[i]);
    }
    queue.look();
    for (std::size_t i = 0; i < 40; ++i) events[i].unlink();
  }
  CHECK_FALSE(queue.is_dense());
  for (Event& event : events) {
    event.when = 2_us;
    queue.insert(event);
  }
  queue.look();
  CHECK(queue.is_dense());
  for (Event& event : events) event.unlink();
  detail::List rest;
  CHECK(queue.take(rest) == nullptr);
  CHECK_FALSE(queue.is_dense());
}

TEST_CASE_TEMPLATE("Queues: one that is found empty stands at the time it stood at", Queue, Wheel, DenseWheel,
                   EventQueue) {
  Queue queue;
  std::vector<Event> events(10);
  for (Event& event : events) {
    event.when = 1_us + Time{&event - events.data()};
    queue.insert(event);
  }
  for (Event& event : events) event.unlink();
  detail::List rest;
  CHECK(queue.take(rest) == nullptr);
  CHECK(queue.time() == Time::zero());
  for (const int i : {5, 3, 9}) {
    events[static_cast<std::size_t>(i)].when = Time{1000 * i};
    queue.insert(events[static_cast<std::size_t>(i)]);
  }
  for (const std::size_t i : {3U, 5U, 9U}) CHECK(take(queue) == std::vector<Event*>{&events[i]});
}

TEST_CASE("EventQueue: one that goes away lets its events go") {
  std::vector<Event> events(10);
  {
    EventQueue queue{{.many = 3, .few = 1}};
    for (Event& event : events) queue.insert(event);
    queue.look();
    CHECK(queue.is_dense());
  }
  for (const Event& event : events) CHECK_FALSE(event.linked());
}

TEST_CASE_TEMPLATE("Queues: an event at every power of two comes at its time", Queue, Wheel, DenseWheel,
                   EventQueue) {
  Queue wheel;
  std::vector<Event> events(62);
  for (std::size_t i = events.size(); i-- > 0;) {
    events[i].when = Time{std::int64_t{1} << i};
    wheel.insert(events[i]);
  }
  for (Event& event : events) CHECK(take(wheel) == std::vector<Event*>{&event});
}

TEST_CASE_TEMPLATE("Queues: events of one time keep their order through every level", Queue, Wheel,
                   DenseWheel, EventQueue) {
  Queue wheel;
  std::vector<Event> events(100);
  for (Event& event : events) {
    event.when = 1'000'000_us;
    wheel.insert(event);
  }
  Event before;
  before.when = 999'999_us;
  wheel.insert(before);
  CHECK(take(wheel) == std::vector<Event*>{&before});
  std::vector<Event*> expected;
  for (Event& event : events) expected.push_back(&event);
  CHECK(take(wheel) == expected);
}

TEST_CASE_TEMPLATE("Queues: one event of another time is found wherever it came among others", Queue, Wheel,
                   DenseWheel, EventQueue) {
  constexpr std::size_t kMost = 6;
  for (std::size_t n = 1; n <= kMost; ++n) {
    for (std::size_t other = 0; other < n; ++other) {
      for (const Time when : {Time{1000}, Time{1002}}) {
        CAPTURE(n);
        CAPTURE(other);
        Queue wheel;
        Reference reference;
        std::vector<Event> events(n);
        for (std::size_t i = 0; i < n; ++i) {
          events[i].when = i == other ? when : Time{1001};
          wheel.insert(events[i]);
          reference.insert(events[i]);
        }
        while (!reference.empty()) CHECK(take(wheel) == reference.take());
      }
    }
  }
}

TEST_CASE_TEMPLATE("Queues: one whose events have all left is empty", Queue, Wheel, DenseWheel, EventQueue) {
  Queue wheel;
  Event event;
  event.when = 5_ns;
  wheel.insert(event);
  event.unlink();
  detail::List rest;
  CHECK(wheel.take(rest) == nullptr);
}

}  // namespace kbsim::test::wheel_test
