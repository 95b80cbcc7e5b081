#pragma once

#include <string>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/topology/address.hpp"

namespace kbsim::topology {

/// A tensor gets memory of a package, or gives it back.
struct MemoryChange {
  Time at{};
  Region memory = Region::hbm;
  int sip = 0;
  std::string name;
  Bytes bytes;         // replicas included
  int places = 0;      // parts, each in the memory of a PE or cube
  Bytes most;          // of one part
  bool freed = false;  // else allocated
};

}  // namespace kbsim::topology
