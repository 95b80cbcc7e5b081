#include "kbsim/evaluate/collective_data.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "kbsim/base/digest.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/kernel_keys.hpp"
#include "kbsim/base/live_line.hpp"
#include "kbsim/base/self_profile.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/ccl/ranks.hpp"

namespace kbsim::evaluate {
namespace {

const WorkKind kNumbers{"inputs and expected results"};

// Participants that the wiring joins with the first one, itself included.
std::set<PeCoord> joined(const ccl::Wiring& wiring) {
  const PeCoord first = wiring.begin()->first;
  std::set<PeCoord> seen{first};
  for (std::vector<PeCoord> next{first}; !next.empty();) {
    const PeCoord here = next.back();
    next.pop_back();
    for (const ccl::Neighbour& n : wiring.at(here)) {
      if (seen.insert(n.peer).second) next.push_back(n.peer);
    }
  }
  return seen;
}

// Whether its kernel has PEs use parts of one another, as a key of its own says.
bool uses_parts_of_others(const config::AlgorithmSpec& algorithm) {
  const KernelKeys* kernel = kernel_keys().find(algorithm.kernel);
  if (kernel == nullptr) return false;
  const auto given = algorithm.own.find(kernel->shared_key);
  return given != algorithm.own.end() && given->second == Scalar{true};
}

// The largest whole number up to which a dtype holds each one.
std::int64_t exact_up_to(DType dtype) {
  if (dtype == f16) return 2048;
  if (dtype == DType::bf16) return 256;
  return dtype == DType::i8 || dtype == DType::u8 ? 127 : 1 << 24;
}

// Equals Digest{}.add(place).value(): a byte of zero only multiplies.
std::uint64_t draw_of(std::int64_t place) {
  constexpr std::uint64_t kPrime = 0x100'0000'01b3ULL;
  constexpr auto kZeros = [] {
    std::array<std::uint64_t, 9> powers{1};
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * kPrime;
    return powers;
  }();
  std::uint64_t hash = Digest{}.value();
  std::size_t zeros = 8;
  for (auto bits = static_cast<std::uint64_t>(place); bits != 0; bits >>= 8, --zeros)
    hash = (hash ^ (bits & 0xff)) * kPrime;
  return hash * kZeros[zeros];
}

// There are few counts, so that the divisor is known at compile time.
std::uint64_t among(std::uint64_t draw, std::uint64_t count) {
  switch (count) {
    case 2: return draw % 2;
    case 3: return draw % 3;
    default: return draw % 4;
  }
}

// A factor of a product of `combined` factors. Signed ones are 1 or -1. Up to six unsigned ones are 2, so
// that the product stays below 127; each part takes its turn.
double factor(std::uint64_t draw, DType dtype, std::int64_t i, std::int64_t source, std::int64_t combined) {
  if (info(dtype).is_signed) return draw % 2 == 0 ? 1.0 : -1.0;
  constexpr std::int64_t kMostTwos = 6;
  const std::int64_t turn = (i + source) % (2 * combined);
  return turn < kMostTwos ? 2.0 : 1.0;
}

// Number of parts that become one.
int combined_of(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm) {
  if (const ccl::Plan* plan = ccl::plan_of(algorithm)) return plan->ranks();
  return static_cast<int>(joined(ccl::wiring_of(algorithm, machine)).size());
}

// Number of cubes, and of PEs per cube, that a rank's tensor lies on.
int cubes_of(const std::vector<PeCoord>& participants) {
  return 1 + std::ranges::max(participants, {}, &PeCoord::cube).cube;
}
int pes_of(const std::vector<PeCoord>& participants) {
  return 1 + std::ranges::max(participants, {}, &PeCoord::pe).pe;
}

int most_added(const std::vector<std::vector<ccl::PlanSum>>& outputs) {
  std::uint64_t most = 1;
  for (const auto& of_rank : outputs) {
    for (const ccl::PlanSum& sum : of_rank) {
      std::uint64_t all = 0;
      if (!sum) continue;
      for (const ccl::Contribution& part : *sum) all += part.times;
      most = std::max(most, all);
    }
  }
  return static_cast<int>(std::min<std::uint64_t>(most, 1U << 30U));
}

// Checks for a stop signal now and then during long work with numbers.
void require_unstopped(std::size_t i) {
  constexpr std::size_t kLooks = 65536;
  if (i % kLooks != 0) return;
  if (stop_signal() != 0) throw Interrupted{"interrupted while expected numbers were made"};
  tick();
}

}  // namespace

Bytes memory_of(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                const CollectiveProblem& problem) {
  if (!problem.values) return 0_B;
  const std::vector<PeCoord> participants = ccl::participants_of(algorithm, machine);
  const int parts = cubes_of(participants) * pes_of(participants);
  const int programs = 1 + participants.back().sip;
  const int ranks = ccl::ranks_of(algorithm, machine);
  const bool over_parts = combined_of(machine, algorithm) == programs * parts;
  const ccl::CollectiveEntry& row = ccl::collective_of(algorithm);
  const auto n = static_cast<double>(problem.n_elem);
  const auto out = static_cast<double>(row.out_elems(problem.n_elem, ranks));
  const double values =
      row.combines && row.in_place ? 5.0 : 3.5;  // of each element: written, under way, read
  const double tensors = programs * parts * (row.in_place ? n : n + out) * itemsize(problem.dtype);
  const double reference = sizeof(double) * (out + (row.combines ? (over_parts ? 1 : parts) * n : 0.0));
  const double bytes = values * tensors + reference;
  return Bytes{static_cast<std::int64_t>(std::min(bytes, 0x1p50))};
}

CollectiveData::CollectiveData(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                               const CollectiveProblem& problem)
    : problem_{problem},
      collective_{algorithm.collective},
      row_{ccl::collective_of(algorithm)},
      plan_{ccl::plan_of(algorithm)},
      flat_{ccl::ranks_are_pes(algorithm)},
      shared_{uses_parts_of_others(algorithm)} {
  const WorkScope scope{kNumbers};
  const HostWork work{"making expected numbers"};
  const std::vector<PeCoord> participants = ccl::participants_of(algorithm, machine);
  if (plan_ != nullptr) plan_placement_ = ccl::plan_placement(*plan_, machine);
  cubes_ = cubes_of(participants);
  pes_ = pes_of(participants);
  programs_ = 1 + participants.back().sip;
  out_elems_ = row_.out_elems(problem.n_elem, ranks());
  combined_ = combined_of(machine, algorithm);
  over_parts_ = combined_ == programs_ * parts() && parts() > 1;
  if (problem_.values && plan_ != nullptr && plan_->custom) {
    outputs_ = ccl::outputs_of(*plan_);
    combined_ = most_added(outputs_);
  }
  const std::int64_t exact = exact_up_to(problem_.dtype);
  numbers_ = static_cast<std::uint64_t>(1 + std::clamp<std::int64_t>(exact / combined_, 1, 3));
  one_in_ = static_cast<std::uint64_t>(2 * combined_ / exact + 1);
  if (!problem_.values || !row_.combines) return;
  combinations_.resize(over_parts_ ? 1 : static_cast<std::size_t>(parts()));
  for (int rank = 0; rank < programs_; ++rank) {
    for (int part = 0; part < parts(); ++part) {
      combine(combinations_[over_parts_ ? 0 : static_cast<std::size_t>(part)], rank, part);
    }
  }
  if (problem_.op != Reduction::avg) return;
  for (std::vector<double>& all : combinations_) {
    for (double& x : all) x /= combined_;
  }
}

host::TensorOptions CollectiveData::placed(std::string name) const {
  if (plan_ != nullptr) return {.dp = plan_placement_, .name = std::move(name), .shared = true};
  return {.dp = {.cube = topology::Split::row_wise,
                 .pe = topology::Split::row_wise,
                 .num_cubes = cubes_,
                 .num_pes = pes_},
          .name = std::move(name),
          .shared = shared_};
}

host::HostArray CollectiveData::input(int program) const {
  const WorkScope scope{kNumbers};
  const Shape shape{parts(), problem_.n_elem};
  if (!problem_.values) return host::HostArray::without_numbers(shape, problem_.dtype);
  return host::generate(shape, problem_.dtype, [&](std::int64_t i) {
    return in(program, static_cast<int>(i / problem_.n_elem), i % problem_.n_elem);
  });
}

host::HostArray CollectiveData::output_with_input(int program) const {
  const WorkScope scope{kNumbers};
  const Shape shape{parts(), out_elems_};
  if (!problem_.values) return host::HostArray::without_numbers(shape, problem_.dtype);
  const std::int64_t first = program * problem_.n_elem;
  return host::generate(shape, problem_.dtype, [&](std::int64_t i) {
    const bool mine = i >= first && i < first + problem_.n_elem;
    return mine ? in(program, 0, i - first) : 0.0;
  });
}

// With many parts, numbers are smaller, and fewer aren't 0.
double CollectiveData::in(int rank, int part, std::int64_t i) const {
  const std::int64_t place = (std::int64_t{rank} * parts() + part) * problem_.n_elem + i;
  const std::uint64_t draw = draw_of(place) >> 16;
  if (problem_.op == Reduction::prod) {
    const std::int64_t source = over_parts_ ? std::int64_t{rank} * parts() + part : rank;
    return factor(draw, problem_.dtype, i, source, combined_);
  }
  if (one_in_ > 1 && draw % one_in_ != 0) return 0.0;
  const auto number = static_cast<double>(among(draw >> 16, numbers_));
  // An average divides each number; multiples of the divisor aren't rounded.
  return problem_.op == Reduction::avg && outputs_.empty() ? number * combined_ : number;
}

void CollectiveData::combine(std::vector<double>& all, int rank, int part) const {
  const bool first = all.empty();
  if (first) all.resize(static_cast<std::size_t>(problem_.n_elem));
  for (std::size_t i = 0; i < all.size(); ++i) {
    require_unstopped(i);
    const double x = in(rank, part, static_cast<std::int64_t>(i));
    if (first) {
      all[i] = x;
    } else if (problem_.op == Reduction::max) {
      all[i] = std::max(all[i], x);
    } else if (problem_.op == Reduction::min) {
      all[i] = std::min(all[i], x);
    } else {
      all[i] = problem_.op == Reduction::prod ? all[i] * x : all[i] + x;
    }
  }
}

bool CollectiveData::begins_with_zeros() const {
  return plan_ != nullptr && plan_->custom && !plan_->in_place;
}

host::HostArray CollectiveData::zeros() const {
  const Shape shape{parts(), out_elems_};
  if (!problem_.values) return host::HostArray::without_numbers(shape, problem_.dtype);
  return host::generate(shape, problem_.dtype, [](std::int64_t) { return 0.0; });
}

// A chunk that no step has written keeps its earlier contents: zeros.
std::vector<double> CollectiveData::arriving(int program) const {
  const std::int64_t chunk = out_elems_ / plan_->chunks;
  std::vector<double> row(static_cast<std::size_t>(out_elems_));
  for (std::int64_t i = 0; i < out_elems_; ++i) {
    require_unstopped(static_cast<std::size_t>(i));
    const auto& chunks = outputs_[static_cast<std::size_t>(program)];
    const auto at = static_cast<std::size_t>(i / chunk);
    if (at >= chunks.size() || !chunks[at]) continue;
    const ccl::PlanSum& sum = chunks[at];
    for (const ccl::Contribution& part : *sum)
      row[static_cast<std::size_t>(i)] += part.times * in(part.rank, 0, part.chunk * chunk + i % chunk);
  }
  return row;
}

std::vector<double> CollectiveData::expected(int program, int part) const {
  const WorkScope scope{kNumbers};
  if (!outputs_.empty()) return arriving(program);
  const int rank = flat_ ? program * parts() + part : program;
  const auto input = [this, part](int source, std::int64_t i) {
    return flat_ ? in(source / parts(), source % parts(), i) : in(source, part, i);
  };
  const ccl::CollectiveInputs inputs{
      .ranks = ranks(),
      .n_elem = problem_.n_elem,
      .root = problem_.root,
      .in = input,
      .combined = [this, part](std::int64_t i) { return combination(part, i); }};
  std::vector<double> row;
  row.reserve(static_cast<std::size_t>(out_elems_));
  for (std::int64_t i = 0; i < out_elems_; ++i) {
    require_unstopped(static_cast<std::size_t>(i));
    row.push_back(row_.reference(inputs, rank, i));
  }
  return row;
}

}  // namespace kbsim::evaluate
