#pragma once

#include "kbsim/sim/detail/list.hpp"

namespace kbsim::detail {

/// Refers to a function of an event, which must outlive the call that gets it.
class EventVisitor {
 public:
  template <class Visit>
  EventVisitor(const Visit& visit)  // NOLINT(google-explicit-constructor)
      : visit_{&visit},
        call_{[](const void* visit, Link& event) { (*static_cast<const Visit*>(visit))(event); }} {}
  void operator()(Link& event) const { call_(visit_, event); }

 private:
  const void* visit_;
  void (*call_)(const void* visit, Link& event);
};

}  // namespace kbsim::detail
