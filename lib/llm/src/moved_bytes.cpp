#include "kbsim/llm/moved_bytes.hpp"

namespace kbsim::inference {

MovedBytes& MovedBytes::operator+=(const MovedBytes& more) {
  weights_read += more.weights_read;
  cache_read += more.cache_read;
  cache_written += more.cache_written;
  other_read += more.other_read;
  other_written += more.other_written;
  tcm_read += more.tcm_read;
  tcm_written += more.tcm_written;
  noc += more.noc;
  ucie += more.ucie;
  package += more.package;
  hbm_busy += more.hbm_busy;
  tcm_busy += more.tcm_busy;
  noc_busy += more.noc_busy;
  ucie_busy += more.ucie_busy;
  package_busy += more.package_busy;
  return *this;
}

}  // namespace kbsim::inference
