#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "kbsim/sim/cause.hpp"
#include "kbsim/sim/detail/address_table.hpp"

namespace kbsim {

/// Containers of Causes that its inline functions don't read: so they aren't in its header.
struct CauseTables {
  boost::unordered_flat_map<const void*, Cause> set;  // events of processes, and the like
  detail::AddressTable waiting;                       // held: causes of waiting events before their waits
  detail::AddressTable events;                        // held: causes of queued events
};

}  // namespace kbsim
