// Benches whose options have names of kbsim run's own, long and short.
#include "kbsim/app/bench.hpp"

namespace kbsim::app {
namespace {

struct LongOptions {
  int quiet = 0;
  static void describe(auto& f) { f.add("quiet", &LongOptions::quiet, "how quiet"); }
};

Task<> takes_long(host::Rank&, LongOptions, BenchRequest, BenchReport*) { co_return; }
KBSIM_BENCH(takes_long, "has --quiet");

struct ShortOptions {
  int height = 0;
  static void describe(auto& f) { f.add("height,h", &ShortOptions::height, "of all"); }
};

Task<> takes_short(host::Rank&, ShortOptions, BenchRequest, BenchReport*) { co_return; }
KBSIM_BENCH(takes_short, "has -h");

}  // namespace
}  // namespace kbsim::app
