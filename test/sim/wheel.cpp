#include "kbsim/sim/detail/wheel.hpp"

#include <map>
#include <memory>
#include <random>

#include "doctest/doctest.h"

namespace kbsim::test::wheel_test {

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

std::vector<Event*> take(Wheel& wheel) {
  detail::List rest;
  std::vector<Event*> same{static_cast<Event*>(wheel.take(rest))};
  while (!rest.empty()) same.push_back(static_cast<Event*>(&rest.pop_front()));
  return same;
}

void compare_with_reference(std::uint64_t seed, unsigned max_bits) {
  std::mt19937_64 random{seed};
  Wheel wheel;
  Reference reference;
  std::vector<std::unique_ptr<Event>> events(500);
  for (auto& event : events) event = std::make_unique<Event>();
  for (int step = 0; step < 20'000; ++step) {
    Event& event = *events[random() % events.size()];
    if (random() % 4 == 0 && !reference.empty()) {
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

TEST_CASE("Wheel: random insertions, departures and takings give the order of a sorted list") {
  for (const unsigned max_bits : {4U, 9U, 17U, 26U, 40U, 62U}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      CAPTURE(max_bits);
      CAPTURE(seed);
      compare_with_reference(seed, max_bits);
    }
  }
}

TEST_CASE("Wheel: an event at every power of two comes at its time") {
  Wheel wheel;
  std::vector<Event> events(62);
  for (std::size_t i = events.size(); i-- > 0;) {
    events[i].when = Time{std::int64_t{1} << i};
    wheel.insert(events[i]);
  }
  for (Event& event : events) CHECK(take(wheel) == std::vector<Event*>{&event});
}

TEST_CASE("Wheel: events of one time keep their order through every level") {
  Wheel wheel;
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

TEST_CASE("Wheel: one whose events have all left is empty") {
  Wheel wheel;
  Event event;
  event.when = 5_ns;
  wheel.insert(event);
  event.unlink();
  detail::List rest;
  CHECK(wheel.take(rest) == nullptr);
}

}  // namespace kbsim::test::wheel_test
