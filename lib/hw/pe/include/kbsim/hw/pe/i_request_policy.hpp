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

/// Which of the transfers of a class of traffic that wait in a DMA sends the next request. Each class has a
/// policy of its own.
class IRequestPolicy {
 public:
  virtual ~IRequestPolicy() = default;

  /// Index of the transfer that sends next. `waiting` isn't empty and is in the order of begins, those of one
  /// time in their own; called once a request, when the one before has left. The result may depend on the
  /// arguments and on earlier calls only.
  [[nodiscard]] virtual std::size_t pick(std::span<const TransferPtr> waiting) = 0;
  /// It picks the first, always: then it may not be asked, or at another time.
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
