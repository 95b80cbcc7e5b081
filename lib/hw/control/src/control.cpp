#include "kbsim/hw/control/control.hpp"

#include <algorithm>

namespace kbsim::hw {

UnitWork& UnitWork::operator+=(const UnitWork& other) {
  gemm += other.gemm;
  math += other.math;
  dma += other.dma;
  read += other.read;
  written += other.written;
  return *this;
}

UnitWork UnitWork::since(const UnitWork& earlier) const {
  return {.gemm = gemm - earlier.gemm,
          .math = math - earlier.math,
          .dma = dma - earlier.dma,
          .read = read - earlier.read,
          .written = written - earlier.written};
}

void Activity::include(const Activity& other) {
  first_start = std::min(first_start, other.first_start);
  last_start = std::max(last_start, other.last_start);
  if (other.last_end > last_end) why = other.why;
  last_end = std::max(last_end, other.last_end);
  work += other.work;
  order = std::max(order, other.order);
}

}  // namespace kbsim::hw
