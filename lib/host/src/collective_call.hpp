#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/ccl/plans.hpp"
#include "kbsim/host/rank.hpp"

namespace kbsim::host {

/// The place of a rank's call: the group, and the members' packages at this time.
struct Distributed::Site {
  std::shared_ptr<ProcessGroup> group;
  std::vector<int> devices;  // by the rank in the group
  int device = 0;            // the caller's
  std::source_location at;   // of its call

  /// Whether a member has chosen another package than its own: the group's first queues don't fit then.
  [[nodiscard]] bool moved() const { return devices != group->members(); }
  /// The name of queues between these packages.
  [[nodiscard]] std::string queues(const std::string& of) const {
    return moved() ? fmt::format("{}@{}", of, fmt::join(devices, ",")) : of;
  }
  [[nodiscard]] std::string set_name(const std::string& of) const { return group->set_name(queues(of)); }
  /// For the fingerprint, which must match on all ranks.
  [[nodiscard]] std::string details() const {
    return moved() ? fmt::format(", devices {}", fmt::join(devices, ", ")) : "";
  }
};

/// A collective that a rank begins.
struct Distributed::Call : CollectiveCall {
  config::Collective which;
  const ccl::CollectiveEntry& row;
  Here at;
  Site site;
  const InstalledAlgorithm* by = nullptr;
  bool anywhere = false;            // on any PEs that hold shards, each part by itself
  std::vector<Tensor> beside = {};  // for a plan: its scratch, and the ended steps of its thread blocks

  [[nodiscard]] const ccl::Plan* plan() const { return ccl::plan_of(by->spec); }
  /// Whether its algorithm is a plan that names no collective.
  [[nodiscard]] bool names_none() const { return plan() != nullptr && plan()->custom; }
  /// All tensors that its kernels use.
  [[nodiscard]] std::vector<Tensor> tensors() const;

  [[nodiscard]] const Tensor& result() const { return output ? *output : input; }
};

/// "cube0.pe0 16 B, cube1.pe0 16 B": for the fingerprint, which must match on all ranks.
[[nodiscard]] std::string places_of(const Tensor& tensor, Tensor::Here at);

/// Whether both tensors have shards on the same PEs.
[[nodiscard]] bool on_same_pes(const Tensor& a, const Tensor& b, Tensor::Here at);

}  // namespace kbsim::host
