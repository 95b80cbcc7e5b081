// A bench that says where the slots of each algorithm are that a program may name.
#include <boost/json/object.hpp>

#include "kbsim/app/bench.hpp"

namespace kbsim::app {
namespace {

Task<> memories(host::Rank& main, BenchRequest, BenchReport* report) {
  for (const auto& [name, unused] : main.session().ccl().algorithms)
    report->json[name] = to_string(main.session().algorithm(name).buffer_kind);
  const host::Tensor sentinel = co_await main.torch.zeros({1}, f16, {.dp = {.num_cubes = 1, .num_pes = 1}});
}
KBSIM_BENCH(memories, "the memory of each algorithm's slots");

}  // namespace
}  // namespace kbsim::app
