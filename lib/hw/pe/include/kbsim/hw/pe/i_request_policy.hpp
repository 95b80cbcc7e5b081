#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/hw/pe/transfer.hpp"

namespace kbsim::hw {

/// Chooses which of a traffic class's transfers that wait in a DMA sends the next request. Each class has its
/// own policy.
class IRequestPolicy {
 public:
  virtual ~IRequestPolicy() = default;

  /// Index of the transfer that sends next. `waiting` isn't empty; it is in the order of begins, at one time
  /// of Transfer::Origin::order. Called once per request, when the one before has left. The result may depend
  /// on the arguments and on earlier calls only.
  [[nodiscard]] virtual std::size_t pick(std::span<const TransferPtr> waiting) = 0;
  /// True if it always picks the first transfer: pick() may then be skipped, or called at another time.
  [[nodiscard]] virtual bool takes_first() const { return false; }
};

/// A policy, known by the name that pe_dma's attribute `request_policy` gives.
struct RequestPolicyEntry {
  std::string doc;
  std::function<std::unique_ptr<IRequestPolicy>()> make;
  [[nodiscard]] bool has_function() const { return make != nullptr; }
};
[[nodiscard]] Registry<RequestPolicyEntry>& request_policies();

/// Always true. `abi` is KBSIM_ABI as the policy's file saw it.
bool register_request_policy(std::string name, RequestPolicyEntry entry, const char& abi) noexcept;

/// KBSIM_REQUEST_POLICY("in_order", InOrder, "one line") in the policy's file.
#define KBSIM_REQUEST_POLICY(name, Policy, text)                                \
  static const bool kRegistered##Policy = ::kbsim::hw::register_request_policy( \
      name, {.doc = text, .make = [] { return std::make_unique<Policy>(); }}, KBSIM_ABI)

}  // namespace kbsim::hw
