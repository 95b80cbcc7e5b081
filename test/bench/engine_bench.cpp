// kbsim_bench_engine sim|heap|wheel W1-1k|W1-100k|W2|W3|call|post ITEMS: costs of about ITEMS items of a
// workload on lib/sim, or as bare callbacks in a 4-ary heap or in lib/sim's own queue. Prints one line of
// JSON; scripts/bench.sh compares the engines.

#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include "worlds.hpp"

int main(int argc, char** argv) {
  using namespace kbsim::bench;
  if (argc != 4) return 2;
  const std::map<std::string, decltype(&run_on_sim)> engines{
      {"sim", &run_on_sim}, {"heap", &run_on_heap}, {"wheel", &run_on_wheel}};
  const auto engine = engines.find(argv[1]);
  const auto figures = engine != engines.end() ? engine->second(argv[2], std::stoll(argv[3])) : std::nullopt;
  if (!figures) {
    std::fprintf(stderr, "no workload %s on %s\n", argv[2], argv[1]);
    return 2;
  }
  print(*figures);
  return 0;
}
