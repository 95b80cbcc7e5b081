// A bench that breaks the rules of a sweep: it hangs, crashes, takes memory, or isn't deterministic.
#include <csignal>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include <boost/json/object.hpp>
#include <unistd.h>

#include "kbsim/app/bench.hpp"

namespace kbsim::app {
namespace {

struct UnrulyOptions {
  int hangs = 0;
  int crashes = 0;
  int grows = 0;
  int differs = 0;

  static void describe(auto& f) {
    f.add("hangs", &UnrulyOptions::hangs, "1: never ends");
    f.add("crashes", &UnrulyOptions::crashes, "1: its process dies");
    f.add("grows", &UnrulyOptions::grows, "MiB that it takes");
    f.add("differs", &UnrulyOptions::differs, "1: each time another size");
  }
};

void take(int mib) {
  static std::vector<std::unique_ptr<char[]>> all;
  constexpr std::size_t kMib = std::size_t{1} << 20U;
  for (int i = 0; i < mib; ++i) {
    all.push_back(std::make_unique<char[]>(kMib));  // zeros: each page is there
    (void)usleep(1000);
  }
}

Task<> unruly(host::Rank& main, UnrulyOptions options, BenchRequest, BenchReport* report) {
  const std::int64_t rows = options.differs != 0 ? 1 + std::random_device{}() % 4096 : 4;
  const host::Tensor x = co_await main.torch.zeros({rows, 8}, f16, {.name = "x"});
  const host::HostArray back = co_await x.to_host();
  while (options.hangs != 0) (void)pause();
  if (options.crashes != 0) (void)raise(SIGSEGV);
  take(options.grows);
  report->json = {{"rows", rows}};
}
KBSIM_BENCH(unruly, "keeps no rule");

}  // namespace
}  // namespace kbsim::app
