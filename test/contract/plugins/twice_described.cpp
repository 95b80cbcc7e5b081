// A bench whose description has one name twice, and a default out of its range.
#include "kbsim/app/bench.hpp"

namespace kbsim::app {
namespace {

struct TwiceOptions {
  int n = 0;
  static void describe(auto& f) {
    f.add("n", &TwiceOptions::n, at_least(1), "how many");
    f.add("n", &TwiceOptions::n, "again");
  }
};

Task<> twice_described(host::Rank&, TwiceOptions, BenchRequest, BenchReport*) { co_return; }
KBSIM_BENCH(twice_described, "has --n twice");

}  // namespace
}  // namespace kbsim::app
