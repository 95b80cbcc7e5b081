#include "collective_data.hpp"

#include <algorithm>
#include <set>

#include "kbsim/base/digest.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/ccl/mapper.hpp"
#include "kbsim/ccl/wiring.hpp"

namespace kbsim::app {
namespace {

// Whom the wiring joins with the first participant, itself included.
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

// The whole numbers that a dtype holds up to there, each of them.
std::int64_t exact_up_to(DType dtype) {
  if (dtype == f16) return 2048;
  if (dtype == DType::bf16) return 256;
  return dtype == DType::i8 || dtype == DType::u8 ? 127 : 1 << 24;
}

// A factor of a product of `combined` factors. Signed ones are 1 or -1. Of unsigned ones up to six are 2, so
// that the product stays below 127, at places where every part has its turn.
double factor(std::uint64_t draw, DType dtype, std::int64_t i, std::int64_t source, std::int64_t combined) {
  if (info(dtype).is_signed) return draw % 2 == 0 ? 1.0 : -1.0;
  constexpr std::int64_t kMostTwos = 6;
  const std::int64_t turn = (i + source) % (2 * combined);
  return turn < kMostTwos ? 2.0 : 1.0;
}

std::int64_t elements_out(const std::string& collective, std::int64_t n, int world) {
  if (collective == "all_gather") return n * world;
  return collective == "reduce_scatter" ? n / world : n;
}

// Parts that become one.
int combined_of(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                const std::vector<PeCoord>& participants) {
  const ccl::Wiring wiring = ccl::topologies().at(algorithm.topology).wire(machine, participants);
  return static_cast<int>(joined(wiring).size());
}

bool works_in_place(const std::string& collective) {
  return collective != "all_gather" && collective != "reduce_scatter" && collective != "all_to_all";
}

// Of a rank's tensor.
int parts_of(const std::vector<PeCoord>& participants) {
  const int cubes = 1 + std::ranges::max(participants, {}, &PeCoord::cube).cube;
  const int pes = 1 + std::ranges::max(participants, {}, &PeCoord::pe).pe;
  return cubes * pes;
}

}  // namespace

Bytes memory_of(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                const CollectiveProblem& problem) {
  if (!problem.values) return 0_B;
  const std::vector<PeCoord> participants = ccl::mappers().at(algorithm.mapper).participants(machine);
  const int parts = parts_of(participants);
  const int ranks = machine.system.sips.count;
  const bool over_parts = combined_of(machine, algorithm, participants) == ranks * parts;
  const bool adds_up = algorithm.collective == "all_reduce" || algorithm.collective == "reduce";
  const bool reduces = adds_up || algorithm.collective == "reduce_scatter";
  const auto n = static_cast<double>(problem.n_elem);
  const auto out =
      static_cast<double>(elements_out(algorithm.collective, problem.n_elem, machine.system.sips.count));
  const bool in_place = works_in_place(algorithm.collective);
  const double values = adds_up ? 5.0 : 3.5;  // of each element, as it is written, on its way, and read
  const double tensors = ranks * parts * (in_place ? n : n + out) * itemsize(problem.dtype);
  const double reference = sizeof(double) * (out + (reduces ? (over_parts ? 1 : parts) * n : 0.0));
  const double bytes = values * tensors + reference;
  return Bytes{static_cast<std::int64_t>(std::min(bytes, 0x1p50))};
}

CollectiveData::CollectiveData(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                               const CollectiveProblem& problem)
    : problem_{problem},
      collective_{algorithm.collective},
      world_{machine.system.sips.count},
      out_elems_{elements_out(algorithm.collective, problem.n_elem, machine.system.sips.count)} {
  const std::vector<PeCoord> participants = ccl::mappers().at(algorithm.mapper).participants(machine);
  cubes_ = 1 + std::ranges::max(participants, {}, &PeCoord::cube).cube;
  pes_ = 1 + std::ranges::max(participants, {}, &PeCoord::pe).pe;
  combined_ = combined_of(machine, algorithm, participants);
  over_parts_ = combined_ == world_ * parts() && parts() > 1;
  if (!problem_.values) return;
  if (collective_ != "all_reduce" && collective_ != "reduce" && collective_ != "reduce_scatter") return;
  combinations_.resize(over_parts_ ? 1 : static_cast<std::size_t>(parts()));
  for (int rank = 0; rank < world_; ++rank) {
    for (int part = 0; part < parts(); ++part) {
      combine(combinations_[over_parts_ ? 0 : static_cast<std::size_t>(part)], rank, part);
    }
  }
  if (problem_.op != Reduction::avg) return;
  for (std::vector<double>& all : combinations_) {
    for (double& x : all) x /= combined_;
  }
}

bool CollectiveData::in_place() const { return works_in_place(collective_); }

host::TensorOptions CollectiveData::placed(std::string name) const {
  return {.dp = {.cube = topology::Split::row_wise,
                 .pe = topology::Split::row_wise,
                 .num_cubes = cubes_,
                 .num_pes = pes_},
          .name = std::move(name)};
}

host::HostArray CollectiveData::input(int rank) const {
  const Shape shape{parts(), problem_.n_elem};
  if (!problem_.values) return host::HostArray::without_numbers(shape, problem_.dtype);
  return host::generate(shape, problem_.dtype, [&](std::int64_t i) {
    return in(rank, static_cast<int>(i / problem_.n_elem), i % problem_.n_elem);
  });
}

// Many parts hold smaller and fewer numbers.
double CollectiveData::in(int rank, int part, std::int64_t i) const {
  const std::int64_t place = (std::int64_t{rank} * parts() + part) * problem_.n_elem + i;
  const std::uint64_t draw = Digest{}.add(place).value() >> 16;
  if (problem_.op == Reduction::prod) {
    const std::int64_t source = over_parts_ ? std::int64_t{rank} * parts() + part : rank;
    return factor(draw, problem_.dtype, i, source, combined_);
  }
  const std::int64_t exact = exact_up_to(problem_.dtype);
  const std::int64_t most = std::clamp<std::int64_t>(exact / combined_, 1, 3);
  const std::int64_t one_in = 2 * combined_ / exact + 1;
  if (draw % static_cast<std::uint64_t>(one_in) != 0) return 0.0;
  return static_cast<double>((draw >> 16) % static_cast<std::uint64_t>(most + 1));
}

void CollectiveData::combine(std::vector<double>& all, int rank, int part) const {
  const bool first = all.empty();
  if (first) all.resize(static_cast<std::size_t>(problem_.n_elem));
  for (std::size_t i = 0; i < all.size(); ++i) {
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

std::vector<double> CollectiveData::expected(int rank, int part) const {
  const std::function<double(std::int64_t)> value = expected_value(rank, part);
  std::vector<double> row;
  row.reserve(static_cast<std::size_t>(out_elems_));
  for (std::int64_t i = 0; i < out_elems_; ++i) row.push_back(value(i));
  return row;
}

std::function<double(std::int64_t)> CollectiveData::expected_value(int rank, int part) const {
  using I = std::int64_t;
  const I share = problem_.n_elem / world_;
  const auto of = [this, part](int source) { return [=, this](I i) { return in(source, part, i); }; };
  const auto combined = [this, part](I i) { return combination(part, i); };
  if (collective_ == "all_reduce") return combined;
  if (collective_ == "reduce" && rank == problem_.root) return combined;
  if (collective_ == "reduce") return of(rank);
  if (collective_ == "broadcast") return of(problem_.root);
  if (collective_ == "sendrecv") return of((rank + world_ - 1) % world_);
  if (collective_ == "reduce_scatter") return [=](I i) { return combined(rank * share + i); };
  if (collective_ == "all_gather") {
    return [=, this, n = problem_.n_elem](I i) { return in(static_cast<int>(i / n), part, i % n); };
  }
  ensure(collective_ == "all_to_all", "no reference of the collective " + collective_);
  return [=, this](I i) { return in(static_cast<int>(i / share), part, rank * share + i % share); };
}

}  // namespace kbsim::app
