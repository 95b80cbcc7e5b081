#include "kbsim/base/kernel_keys.hpp"

namespace kbsim {

Registry<KernelKeys>& kernel_keys() {
  static Registry<KernelKeys> registry{"kernel with keys of its own"};
  return registry;
}

bool register_kernel_keys(std::string kernel, KernelKeys keys, const char& /*abi*/) noexcept {
  (void)kernel_keys().offer(std::move(kernel), std::move(keys));
  return true;
}

}  // namespace kbsim
