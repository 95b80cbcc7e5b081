#include "kbsim/base/open_walk.hpp"

namespace kbsim {

std::vector<int> open_walk(int w, int h) {
  std::vector<int> places;
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) places.push_back(y * w + (y % 2 == 0 ? x : w - 1 - x));
  }
  return places;
}

}  // namespace kbsim
