#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/field.hpp"
#include "kbsim/base/registry.hpp"

namespace kbsim {

/// The values of a kernel's own keys, as a launch carries them: plain bytes.
class KernelValues {
 public:
  static constexpr std::size_t kMost = 64;

  KernelValues() = default;
  template <class Spec>
  [[nodiscard]] static KernelValues of(const Spec& spec) {
    static_assert(std::is_trivially_copyable_v<Spec> && sizeof(Spec) <= kMost);
    KernelValues values;
    std::memcpy(values.bytes_.data(), &spec, sizeof(Spec));
    values.given_ = true;
    return values;
  }
  /// The values as the Spec that they were made of; the Spec's defaults if none were given.
  template <class Spec>
  [[nodiscard]] Spec as() const {
    static_assert(std::is_trivially_copyable_v<Spec> && sizeof(Spec) <= kMost);
    Spec spec;
    if (given_) std::memcpy(&spec, bytes_.data(), sizeof(Spec));
    return spec;
  }

 private:
  std::array<std::byte, kMost> bytes_{};
  bool given_ = false;
};

/// Additions of a collective's kernel to the entries of ccl.yaml that name it. Its own keys, described as any
/// Spec's; the topology and mapper that stand in for `topology: none`, if it needs certain ones; the key, if
/// any, that numbers a cube of a package; and the one that, if true, makes PEs use parts of others' tensors.
struct KernelKeys {
  const std::vector<Field>* fields = nullptr;
  std::function<KernelValues(const std::map<std::string, Scalar>& given)> values;
  std::string topology = {};
  std::string mapper = {};
  std::string cube_key = {};
  std::string shared_key = {};
  [[nodiscard]] bool has_function() const { return values != nullptr; }
};
/// By the kernels' names.
[[nodiscard]] Registry<KernelKeys>& kernel_keys();

/// Always true. `abi` is KBSIM_ABI as the kernel's file saw it.
bool register_kernel_keys(std::string kernel, KernelKeys keys, const char& abi) noexcept;

template <class Spec>
[[nodiscard]] KernelKeys kernel_keys_of(std::string topology = {}, std::string mapper = {},
                                        std::string cube_key = {}, std::string shared_key = {}) {
  return {.fields = &fields_of<Spec>(),
          .values = [](const auto& given) { return KernelValues::of(spec_from<Spec>(given)); },
          .topology = std::move(topology),
          .mapper = std::move(mapper),
          .cube_key = std::move(cube_key),
          .shared_key = std::move(shared_key)};
}

/// KBSIM_KERNEL_KEYS(ring, RingSpec) in the kernel's file; a topology, a mapper, a cube_key and a
/// shared_key may follow.
#define KBSIM_KERNEL_KEYS(kernel, ...)    \
  static const bool kHasKeysOf_##kernel = \
      ::kbsim::register_kernel_keys(#kernel, KBSIM_KERNEL_KEYS_OF(__VA_ARGS__), KBSIM_ABI)
#define KBSIM_KERNEL_KEYS_OF(Spec, ...) ::kbsim::kernel_keys_of<Spec>(__VA_ARGS__)

}  // namespace kbsim
