#pragma once

#include "kbsim/ccl/collective.hpp"
#include "kbsim/host/rank.hpp"

namespace kbsim::host {

/// A collective that a rank begins.
struct Distributed::Call : CollectiveCall {
  config::Collective which;
  const ccl::CollectiveEntry& row;
  Here at;
  const InstalledAlgorithm* by = nullptr;
  bool anywhere = false;  // on whatever PEs hold shards, each part by itself

  [[nodiscard]] const Tensor& result() const { return output ? *output : input; }
};

}  // namespace kbsim::host
