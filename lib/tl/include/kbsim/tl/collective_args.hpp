#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/kernel_keys.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// How the packages exchange their partial results.
enum class SipExchange { ring, torus, mesh, tree };

/// How the parts of all become one, element by element. avg is the sum of all parts, each divided by their
/// number.
enum class Reduction { sum, max, min, prod, avg };

[[nodiscard]] constexpr std::string_view to_string(Reduction op) {
  constexpr std::array<std::string_view, 5> kNames{"sum", "max", "min", "prod", "avg"};
  return kNames[static_cast<std::size_t>(op)];
}

/// What every collective's kernel is launched with, one launch a SIP: a rank. Each PE that runs it works on
/// its own part of `data`: on PE p of cube c, part c * pes + p.
struct CollectiveArgs {
  Ptr data;                 // this SIP's tensor; where `out` is none, the result takes its place
  std::int64_t n_elem = 0;  // of each part of `data`
  int cube_w = 1;
  int cube_h = 1;
  int pes = 1;  // parts of a cube
  int world_size = 1;
  int rank = 0;
  SipExchange exchange = SipExchange::ring;
  int sip_w = 1;  // the packages' grid, for torus and mesh: sip_w * sip_h = world_size
  int sip_h = 1;
  Ptr out = {};  // of a collective that isn't in place: parts in the order of `data`'s
  Reduction op = Reduction::sum;
  int root = 0;                 // the rank that broadcasts, or that the result goes to
  std::int64_t slot_elems = 0;  // the most that one send can carry; 0: all there is
  int free_slots = 1 << 20;     // of a queue, that received tiles may hold while they wait to be sent on
  std::int64_t tcm_elems = 0;   // the most that a kernel should hold at once; 0: no matter
  KernelValues own = {};        // of its own keys in ccl.yaml

  /// A rank's place in the ring of packages (topology ring_1d), and the rank at a place: along a closed walk
  /// over neighbours if the packages have one, else by number.
  [[nodiscard]] int place_of(int of) const;
  [[nodiscard]] int rank_at(int place) const;
};

}  // namespace kbsim
