#pragma once

#include <cstdint>

#include "kbsim/base/dtype.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// How the packages exchange their partial results.
enum class SipExchange { ring, torus, mesh };

/// What every all-reduce kernel is launched with, one launch a SIP: a rank.
struct CollectiveArgs {
  Ptr data;                 // this SIP's tensor: cube c's part at c * n_elem elements
  std::int64_t n_elem = 0;  // of each cube
  int cube_w = 1;
  int cube_h = 1;
  int world_size = 1;
  int rank = 0;
  SipExchange exchange = SipExchange::ring;
};

}  // namespace kbsim
