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

/// A collective on a machine, and what goes in.
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

/// The algorithm of that name in configs/ccl.yaml; the names of those whose ranks are packages.
[[nodiscard]] config::AlgorithmSpec algorithm_of(const std::string& name);
[[nodiscard]] std::vector<std::string> algorithm_names();

/// That algorithm with so many slots of 256 bytes, on n elements or the next number that the ranks divide; a
/// root that is neither the first nor, with more than two ranks, the last.
[[nodiscard]] Collective collective(const std::string& algorithm, const config::MachineSpec& machine,
                                    int slots, std::int64_t n);

/// All that a rank holds, part after part.
using Numbers = std::vector<double>;
/// By rank.
using PerRank = std::vector<Numbers>;

/// How a rank's tensors are cut into parts: so many cubes with so many PEs each.
struct Parts {
  int cubes = 1;
  int pes = 1;
  [[nodiscard]] int count() const { return cubes * pes; }
};
[[nodiscard]] Parts parts_of(const Collective& c);

[[nodiscard]] bool in_place(const Collective& c);
/// Small integers, different everywhere, of which no reduction here is rounded.
[[nodiscard]] PerRank inputs(const Collective& c);
/// Elements of a part of the output.
[[nodiscard]] std::int64_t out_elems(const Collective& c);
/// What each rank's output must be, by the collective's definition: what takes part in a sum are the parts
/// that the wiring joins. A reduce leaves what isn't the root's unspecified: as it was.
[[nodiscard]] PerRank expected(const Collective& c, const PerRank& in);

/// What the outputs are after the kernels have run in the mock, with the queues' slots.
[[nodiscard]] PerRank in_mock(const Collective& c, const PerRank& in);

/// The same on the machine, by a host program; nothing may race.
[[nodiscard]] PerRank on_machine(const Collective& c, const PerRank& in);

/// All that such a run leaves, events of one time in the order of that seed.
struct Outcome {
  PerRank out;
  std::vector<Time> times;  // of each rank's collective: called, first start, last end, done
  std::string log;          // digests of the op log, and of it, the links and the end
  std::string machine;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};
[[nodiscard]] Outcome outcome(const Collective& c, const PerRank& in, std::optional<std::uint64_t> shuffle);

/// What it took there, all ranks beginning at once.
struct Measured {
  Time kernel{};                                 // first PE's start to last PE's end, of the slowest rank
  std::map<std::pair<int, int>, Bytes> sent_on;  // by link between packages, while it ran
};
[[nodiscard]] Measured measured(const Collective& c);

}  // namespace kbsim::test
