#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/dtype.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/tl/collective_args.hpp"

namespace kbsim::test {

/// A collective on a machine, with its sizes.
struct Collective {
  config::MachineSpec machine;
  config::AlgorithmSpec algorithm;
  std::int64_t n_elem = 1;  // of each part
  DType dtype = f16;
  Reduction op = Reduction::sum;
  int root = 0;
};

/// `sips` packages of a mesh of w by h cubes of two PEs.
[[nodiscard]] config::MachineSpec machine_of(int sips, int w = 1, int h = 1);

/// The algorithm of that name in configs/ccl.yaml; the names of all algorithms whose ranks are packages.
[[nodiscard]] config::AlgorithmSpec algorithm_of(const std::string& name);
[[nodiscard]] std::vector<std::string> algorithm_names();

/// That algorithm with `slots` slots of 256 bytes, on n elements or the next number that the ranks divide.
/// The root is neither the first rank nor, with more than two ranks, the last.
[[nodiscard]] Collective collective(const std::string& algorithm, const config::MachineSpec& machine,
                                    int slots, std::int64_t n);

/// All that a rank holds, part after part.
using Numbers = std::vector<double>;
/// By rank.
using PerRank = std::vector<Numbers>;

/// Number of parts of a rank's tensors: one per PE, on `cubes` cubes of `pes` PEs each.
struct Parts {
  int cubes = 1;
  int pes = 1;
  [[nodiscard]] int count() const { return cubes * pes; }
};
[[nodiscard]] Parts parts_of(const Collective& c);

[[nodiscard]] bool in_place(const Collective& c);
/// Small integers, different everywhere; no reduction here rounds them.
[[nodiscard]] PerRank inputs(const Collective& c);
/// Elements of a part of the output.
[[nodiscard]] std::int64_t out_elems(const Collective& c);
/// Each rank's output by the collective's definition; a sum is over the parts that the wiring joins. In a
/// reduce, the output of other ranks than the root is unspecified: here it is unchanged.
[[nodiscard]] PerRank expected(const Collective& c, const PerRank& in);

/// Outputs of the kernels in the mock, with the queues' slots.
[[nodiscard]] PerRank in_mock(const Collective& c, const PerRank& in);

/// The same on the machine, by a host program; nothing may race.
[[nodiscard]] PerRank on_machine(const Collective& c, const PerRank& in);

/// All results of such a run, with simultaneous events in the order of that seed.
struct Outcome {
  PerRank out;
  std::vector<Time> times;  // of each rank's collective: called, first start, last end, done
  std::string log;          // digests of the op log, and of it, the links and the end
  std::string machine;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};
[[nodiscard]] Outcome outcome(const Collective& c, const PerRank& in, std::optional<std::uint64_t> shuffle);

/// Costs on the machine; all ranks begin at once.
struct Measured {
  Time kernel{};                                 // first PE's start to last PE's end, of the slowest rank
  std::map<std::pair<int, int>, Bytes> sent_on;  // by link between packages, while it ran
};
[[nodiscard]] Measured measured(const Collective& c);

}  // namespace kbsim::test
