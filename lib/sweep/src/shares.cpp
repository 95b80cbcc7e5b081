#include "kbsim/sweep/shares.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::sweep {

std::vector<std::size_t> shard_of(const std::string& text, std::size_t points) {
  std::vector<std::size_t> all;
  unsigned i = 1;
  unsigned n = 1;
  int end = 0;
  if (!text.empty() && (std::sscanf(text.c_str(), "%u/%u%n", &i, &n, &end) != 2 ||
                        static_cast<std::size_t>(end) != text.size() || i == 0 || i > n))
    throw UsageError{fmt::format("--shard {}: expected I/N with I from 1 to N, as 1/4", text)};
  for (std::size_t at = i - 1; at < points; at += n) all.push_back(at);
  return all;
}

double verified_share(const std::string& text) {
  if (text.empty()) return 0.0;
  double percent = 0.0;
  int end = 0;
  const bool read = std::sscanf(text.c_str(), "%lf%%%n", &percent, &end) == 1;
  if (!read || static_cast<std::size_t>(end) != text.size() || !(percent > 0.0 && percent <= 100.0))
    throw UsageError{fmt::format("--verify {}: expected a share above 0, as 5%", text)};
  return percent / 100.0;
}

std::vector<std::size_t> spread(std::size_t all, std::size_t most) {
  std::vector<std::size_t> some;
  const std::size_t n = std::min(all, most);
  for (std::size_t i = 0; i < n; ++i) some.push_back(n == 1 ? 0 : i * (all - 1) / (n - 1));
  return some;
}

}  // namespace kbsim::sweep
