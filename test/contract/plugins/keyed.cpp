// A collective's kernel with keys of its own in ccl.yaml.
#include "kbsim/base/kernel_keys.hpp"
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

struct KeyedSpec {
  int kernel_depth = 2;
  static void describe(auto& f) {
    f.add("kernel_depth", &KeyedSpec::kernel_depth, between(1, 8), "tiles ahead");
  }
};

Task<> keyed(TL& tl, CollectiveArgs args) {
  tl.check(args.own.as<KeyedSpec>().kernel_depth == 5, "kernel_depth is 5");
  co_return;
}
KBSIM_KERNEL_KEYS(keyed, KeyedSpec);
KBSIM_KERNEL(keyed, "leaves everybody's part as it is");

}  // namespace
}  // namespace kbsim
