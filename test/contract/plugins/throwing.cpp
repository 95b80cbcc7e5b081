// Host programs and a kernel that throw exceptions of unknown types.
#include <stdexcept>

#include "kbsim/app/bench.hpp"
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::app {
namespace {

struct Oops {};

Task<> throws_object(host::Rank&, BenchRequest, BenchReport*) {
  throw Oops{};
  co_return;
}
KBSIM_BENCH(throws_object, "throws an object of its own");

Task<> throws_std(host::Rank&, BenchRequest, BenchReport*) {
  throw std::out_of_range{"no such row"};
  co_return;
}
KBSIM_BENCH(throws_std, "throws what the standard library throws");

Task<> throwing_kernel(TL&, CollectiveArgs) {
  throw 42;
  co_return;
}
KBSIM_KERNEL(throwing_kernel, "throws a number");

}  // namespace
}  // namespace kbsim::app
