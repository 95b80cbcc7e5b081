#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "figures.hpp"

namespace kbsim::bench {

// Runs about `items` items of a workload on an engine; returns nothing if it has no workload of that name.
[[nodiscard]] std::optional<Figures> run_on_sim(const std::string& workload, std::int64_t items);
[[nodiscard]] std::optional<Figures> run_on_heap(const std::string& workload, std::int64_t items);
[[nodiscard]] std::optional<Figures> run_on_wheel(const std::string& workload, std::int64_t items);

}  // namespace kbsim::bench
