#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/kernel_keys.hpp"
#include "kbsim/tl/ptr.hpp"

namespace kbsim {

/// How the packages exchange their partial results.
enum class SipExchange { ring, torus, mesh, tree };

/// How the parts of all PEs combine, element by element. avg is the sum of all parts, each divided by the
/// number of parts.
enum class Reduction { sum, max, min, prod, avg };

[[nodiscard]] constexpr std::string_view to_string(Reduction op) {
  constexpr std::array<std::string_view, 5> kNames{"sum", "max", "min", "prod", "avg"};
  return kNames[static_cast<std::size_t>(op)];
}

/// The arguments of a collective's kernel. A rank is one launch on one SIP. Each PE that runs it works on its
/// own part of `data`: PE p of cube c on part c * pes + p.
struct CollectiveArgs {
  Ptr data;                 // this SIP's tensor; where `out` is none, the result takes its place
  std::int64_t n_elem = 0;  // of each part of `data`
  int cube_w = 1;
  int cube_h = 1;
  int pes = 1;  // parts per cube
  int world_size = 1;
  int rank = 0;
  SipExchange exchange = SipExchange::ring;
  int sip_w = 1;  // the packages' grid, for torus and mesh: sip_w * sip_h = world_size
  int sip_h = 1;
  Ptr out = {};  // unless in place: the output, its parts in the order of `data`'s
  Reduction op = Reduction::sum;
  int root = 0;                 // the rank that broadcasts, or that gets the result
  std::int64_t slot_elems = 0;  // the most that one send can carry; 0: no limit
  int free_slots = 1 << 20;     // per queue: slots that received tiles may hold while they wait to be sent on
  std::int64_t tcm_elems = 0;   // the most that a kernel should hold at once; 0: no limit
  KernelValues own = {};        // the algorithm's own keys in ccl.yaml

  /// A rank's place in the ring of packages (topology ring_1d), and the rank at a place: along a closed walk
  /// over neighbours if the packages have one, else by number.
  [[nodiscard]] int place_of(int of) const;
  [[nodiscard]] int rank_at(int place) const;
  /// The ranks in the order of a line of packages (topology line_of_packages): along the rows of a grid to
  /// and fro, else by number.
  [[nodiscard]] std::vector<int> line() const;
};

}  // namespace kbsim
