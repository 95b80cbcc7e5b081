// This program has no benches, whose options could be in each other's way.
#include "bench_options.hpp"

namespace kbsim::app {

std::vector<std::string> option_conflicts() { return {}; }

}  // namespace kbsim::app
