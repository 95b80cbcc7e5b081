#pragma once

#include <any>
#include <functional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/registry_fwd.hpp"
#include "kbsim/sim/task.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim {

/// A kernel and its arguments, ready to run on any PE: the contents of a launch.
struct KernelCall {
  std::string name;
  std::function<Task<>(TL&)> start;
  std::source_location at = {};  // of the launch, if known
};

/// A kernel known by name.
struct KernelEntry {
  std::string doc;
  /// Throws UsageError if the arguments are of another type than the kernel's.
  std::function<KernelCall(const std::any& args)> bind;
  [[nodiscard]] bool has_function() const { return bind != nullptr; }
};

[[nodiscard]] Registry<KernelEntry>& kernels();

namespace detail {
/// UsageErrors.
void require_kernel(bool given, const std::string& name, const std::source_location& at);
[[noreturn]] void refuse_arguments(const std::string& kernel);
}  // namespace detail

/// UsageError, with the caller's line, for a null pointer.
template <class Args>
[[nodiscard]] KernelCall bind_kernel(std::string name, Task<> (*kernel)(TL&, Args), Args args,
                                     std::source_location at = std::source_location::current()) {
  static_assert(std::is_trivially_copyable_v<Args>, "a launch carries a kernel's arguments as plain bytes");
  detail::require_kernel(kernel != nullptr, name, at);
  return {.name = std::move(name), .start = [kernel, args](TL& tl) { return kernel(tl, args); }};
}

template <class Args>
[[nodiscard]] KernelEntry kernel_entry(std::string name, std::string doc, Task<> (*kernel)(TL&, Args)) {
  static_assert(!std::is_reference_v<Args>, "a kernel takes its arguments by value: they outlive the launch");
  if (kernel == nullptr) return {.doc = doc, .bind = nullptr};
  using Given = std::remove_cvref_t<Args>;
  const auto bind = [name, kernel](const std::any& args) {
    const auto* typed = std::any_cast<Given>(&args);
    if (typed == nullptr) detail::refuse_arguments(name);
    return bind_kernel(name, kernel, *typed);
  };
  return {.doc = std::move(doc), .bind = bind};
}

/// Always true. `abi` is KBSIM_ABI as the kernel's file saw it.
bool register_kernel(std::string name, KernelEntry entry, const char& abi) noexcept;

/// Makes `Task<> name(TL&, Args)` known by its name, in its own file.
#define KBSIM_KERNEL(name, doc)          \
  static const bool kRegistered_##name = \
      ::kbsim::register_kernel(#name, ::kbsim::kernel_entry(#name, doc, name), KBSIM_ABI)

}  // namespace kbsim
