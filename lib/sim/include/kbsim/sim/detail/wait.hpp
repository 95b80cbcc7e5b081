#pragma once

#include <source_location>
#include <string>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/identity.hpp"

namespace kbsim::detail {

class PromiseBase;
struct TimedEvent;

/// What a kind of wait tells reports. `of` is what the waiter gave as what it waits for.
struct WaitKind {
  const char* text;  // "mailbox"
  /// "mailbox sip0.cube1.noc"; of the task that waits.
  std::string (*what)(const WaitKind& kind, const void* of, const TimedEvent& waiter);
  Identity (*awaits)(const void* of, const TimedEvent& waiter) = nullptr;
  /// The called task that does the waiting, of who awaits a task.
  const PromiseBase* (*inner)(const void* of) = nullptr;
  /// `of` is a thing that may be gone as soon as the waiter is in no list of it.
  bool in_list = false;
};

/// What a suspended task waits for, where in the source, and since when. It stands in the promise, and is set
/// when the task suspends: a wait that is ready at once sets nothing up.
struct Wait {
  const WaitKind* kind = nullptr;  // null: it hasn't waited yet
  void* of = nullptr;
  std::source_location at;
  Time since{};
};

/// Whoever waits is in the thing's list, unless the thing is gone. One that has its turn already isn't asked.
template <class Thing>
std::string name_of(const WaitKind& kind, const void* of, const TimedEvent& waiter);

/// Waiting in the list of a thing that has a name().
template <class Thing>
constexpr WaitKind kind_of_named(const char* text) {
  return {.text = text, .what = &name_of<Thing>, .in_list = true};
}

}  // namespace kbsim::detail
