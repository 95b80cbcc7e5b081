#include "claims.hpp"

#include "bursts/burst.hpp"

namespace kbsim::hw {

void Claims::drop_burst(std::size_t index) {
  bursts_[index] = bursts_.back();
  bursts_[index]->set_index(index);
  bursts_.pop_back();
}

void Claims::end_bursts() {
  while (!bursts_.empty()) bursts_.back()->yield();
}

}  // namespace kbsim::hw
