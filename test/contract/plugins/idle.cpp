// A bench that asks nothing of the machine.
#include "kbsim/app/bench.hpp"

namespace kbsim::app {
namespace {

Task<> idle(host::Rank&, BenchRequest, BenchReport* report) {
  report->text = "idle: done\n";
  co_return;
}
KBSIM_BENCH(idle, "does nothing, and says it is done");

}  // namespace
}  // namespace kbsim::app
