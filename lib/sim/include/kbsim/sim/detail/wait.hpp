#pragma once

#include <source_location>
#include <string>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/identity.hpp"

namespace kbsim::detail {

class PromiseBase;
struct TimedEvent;

/// How reports describe a kind of wait. `of` is the thing that the waiter waits for.
struct WaitKind {
  const char* text;  // "mailbox"
  /// "mailbox sip0.cube1.noc"; `waiter` is the task that waits.
  std::string (*what)(const WaitKind& kind, const void* of, const TimedEvent& waiter);
  Identity (*awaits)(const void* of, const TimedEvent& waiter) = nullptr;
  /// The called task that does the waiting, if a task is awaited.
  const PromiseBase* (*inner)(const void* of) = nullptr;
  /// `of` is a thing that may be gone as soon as the waiter is in no list of it.
  bool in_list = false;
};

/// The thing that a suspended task waits for, where in the source, and since when. Stands in the promise, and
/// is set when the task suspends: a wait that is ready at once sets nothing.
struct Wait {
  const WaitKind* kind = nullptr;  // null: it hasn't waited yet
  void* of = nullptr;
  std::source_location at;
  Time since{};
};

/// The waiter is in the thing's list, unless the thing is gone. Not called for a waiter that has its turn
/// already.
template <class Thing>
std::string name_of(const WaitKind& kind, const void* of, const TimedEvent& waiter);

/// Waiting in the list of a thing that has a name().
template <class Thing>
constexpr WaitKind kind_of_named(const char* text) {
  return {.text = text, .what = &name_of<Thing>, .in_list = true};
}

}  // namespace kbsim::detail
