#include "claims.hpp"

#include "bursts/burst.hpp"

namespace kbsim::hw {

void Claims::drop_burst(std::size_t place) {
  bursts_[place] = bursts_.back();
  bursts_[place]->moves_to(place);
  bursts_.pop_back();
}

void Claims::end_bursts() {
  while (!bursts_.empty()) bursts_.back()->yield();
}

}  // namespace kbsim::hw
