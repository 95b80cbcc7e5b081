#include <cmath>

#include "kbsim/config/machine_spec.hpp"

namespace kbsim::config {

// The tallest divisor of the count that is at most its square root.
int SipsSpec::rows() const {
  if (!is_grid(topology)) return 1;
  if (h > 0) return h;
  int rows = static_cast<int>(std::sqrt(static_cast<double>(count)));
  while (count % rows != 0) --rows;
  return rows;
}

}  // namespace kbsim::config
