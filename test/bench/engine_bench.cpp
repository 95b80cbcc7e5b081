// kbsim_bench_engine sim|heap W1-1k|W1-100k|W2|W3|call|post ITEMS: what about so many items of a workload
// take on lib/sim, or as bare callbacks in a 4-ary heap. One line of JSON; scripts/bench.sh compares them.

#include <cstdio>
#include <string>

#include "worlds.hpp"

int main(int argc, char** argv) {
  using namespace kbsim::bench;
  if (argc != 4) return 2;
  const std::string engine = argv[1];
  const std::int64_t items = std::stoll(argv[3]);
  const auto figures = engine == "sim" ? run_on_sim(argv[2], items) : run_on_heap(argv[2], items);
  if (!figures) {
    std::fprintf(stderr, "no workload %s on %s\n", argv[2], argv[1]);
    return 2;
  }
  print(*figures);
  return 0;
}
