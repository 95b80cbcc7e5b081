// Collectives with one tensor per rank: messages between pairs, in one kernel per PE.
#include <algorithm>
#include <numeric>
#include <optional>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/host/rank.hpp"

#include "aliasing.hpp"
#include "collective_call.hpp"
#include "exchange.hpp"
#include "requirements.hpp"

namespace kbsim::host {

namespace {

namespace views = ranges::views;

TensorMove sent(const Tensor& tensor, int peer) {
  return {.kind = BoxMove::Kind::send, .peer = peer, .from = TensorBox{tensor}};
}
TensorMove received(const Tensor& tensor, int peer) {
  return {.kind = BoxMove::Kind::receive, .peer = peer, .to = TensorBox{tensor}};
}
TensorMove copied(const Tensor& from, const Tensor& to, int self) {
  return {.kind = BoxMove::Kind::copy, .peer = self, .from = TensorBox{from}, .to = TensorBox{to}};
}

std::string shapes_of(const std::vector<Tensor>& tensors) {
  const auto shape = [](const Tensor& tensor) { return to_string(tensor.shape()); };
  return fmt::format("{}", fmt::join(tensors | std::views::transform(shape), ", "));
}

std::string all_places(const std::vector<Tensor>& tensors, Tensor::Here at) {
  const auto places = [&](const Tensor& tensor) { return places_of(tensor, at); };
  return fmt::format("{}", fmt::join(tensors | std::views::transform(places), "; "));
}

// PyTorch's words for the list that one rank of the group has.
struct RootList {
  std::string_view name;
  std::string_view root;
  std::string_view what;
  std::string_view at_first;
};
constexpr RootList kScatterList{"scatter_list", "source", "input", "Input"};
constexpr RootList kGatherList{"gather_list", "destination", "output", "Output"};

struct ListCheck : PairCheck {
  void list(const std::vector<Tensor>& tensors, const RootList& is, bool here, int size) const {
    require(here || tensors.empty(),
            fmt::format("Argument ``{}`` must NOT be specified on non-{} ranks.", is.name, is.root));
    require(!here || !tensors.empty(),
            fmt::format("Argument ``{}`` must be specified on {} rank.", is.name, is.root));
    require(!here || std::ssize(tensors) == size,
            fmt::format(
                "Incorrect {} list size {}. {} list size should be {}, same as size of the process group.",
                is.what, tensors.size(), is.at_first, size));
  }
  void participants(const std::vector<Tensor>& tensors, int size) const {
    require(std::ssize(tensors) == size,
            "Tensor list input to scatter/gather must match number of collective participants");
  }
  void alike(const Tensor& a, const Tensor& b) const {
    require(a.dtype() == b.dtype(), "Tensors must have identical type");
    require(a.shape() == b.shape(), "Tensors must have identical sizes");
    require(on_same_pes(a, b, at),
            fmt::format("the shards of '{}' and '{}' are on different PEs", a.name(), b.name()));
  }
  void root(int rank, const ProcessGroup& group) const {
    require(group.rank_of(rank).has_value(), fmt::format("Global rank {} is not part of group", rank));
  }
};

/// The tensor of a call, and its list. The list's tensor for this rank may be the tensor itself (in place).
struct Listed {
  World& world;
  int rank;
  const ListCheck& check;
  const ProcessGroup& group;

  void apart(const Tensor& tensor, std::string_view role, const std::vector<Tensor>& list,
             std::string_view of_list) const {
    for (const auto& [i, member, other] : views::zip(views::iota(0), group.members(), list)) {
      (void)tensor.shards(check.at);  // throws here, where the line is known
      (void)other.shards(check.at);
      if (member == rank && same_bytes(tensor, other)) continue;
      require_apart(world, rank, check.call, {std::string{role}, tensor},
                    {fmt::format("{} {}", of_list, i), other});
    }
  }
  /// Outputs must not overlap.
  void outputs(const std::vector<Tensor>& list) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        require_apart(world, rank, check.call, {fmt::format("output {}", j), list[j]},
                      {fmt::format("output {}", i), list[i]});
      }
    }
  }
};

// One side of a message between two ranks; of a part without elements, too.
P2pCall side_of(bool sends, int rank, int peer, const Shape& shape, const Tensor* part, DType dtype,
                const ListCheck& check) {
  P2pCall side{.sends = sends,
               .from = sends ? rank : peer,
               .to = sends ? peer : rank,
               .shape = to_string(shape),
               .dtype = std::string{to_string(dtype)},
               .at = check.at};
  if (part == nullptr) return side;
  for (const Shard& shard : part->shards(check.at))
    side.parts.emplace_back(PeCoord{0, shard.spec.at.cube, shard.spec.at.pe}, shard.spec.nbytes);
  return side;
}

// Parts of a tensor along axis 0, one per rank.
class Splits {
 public:
  Splits(const Tensor& tensor, std::vector<std::int64_t> sizes, int ranks, const ListCheck& check)
      : tensor_{tensor}, sizes_{std::move(sizes)} {
    const std::int64_t rows = tensor.shape()[0];
    if (sizes_.empty()) {
      check.require(rows % ranks == 0, "Tensor's dim 0 does not divide equally across group size");
      sizes_.assign(static_cast<std::size_t>(ranks), rows / ranks);
    }
    check.require(std::ssize(sizes_) == ranks, "Number of tensor splits not equal to group size");
    check.require(std::ranges::min(sizes_) >= 0, "a split size is negative");
    const std::int64_t all = std::accumulate(sizes_.begin(), sizes_.end(), std::int64_t{0});
    check.require(
        all == rows || all == 0,
        fmt::format("Split sizes doesn't match total dim 0 size, {}; zeros alone stand for no rows", rows));
    for (const Shard& shard : tensor.shards()) {
      check.require(
          shard.spec.block.elements() == tensor.shape().elements(),
          fmt::format("'{}' is split over PEs: split sizes need all of it on each of its PEs; place "
                      "it on one PE, or replicate it (.to(policy))",
                      tensor.name()));
    }
  }
  [[nodiscard]] Shape shape(int rank) const {
    std::vector<std::int64_t> extents{tensor_.shape().extents().begin(), tensor_.shape().extents().end()};
    extents.front() = sizes_[static_cast<std::size_t>(rank)];
    return Shape::of(extents);
  }
  // The rank's part; none without rows.
  [[nodiscard]] std::optional<Tensor> part(int rank, Tensor::Here at) const {
    const std::int64_t first = std::accumulate(sizes_.begin(), sizes_.begin() + rank, std::int64_t{0});
    const std::int64_t rows = sizes_[static_cast<std::size_t>(rank)];
    if (rows == 0) return std::nullopt;
    return tensor_.slice(0, {first, first + rows}, at);
  }

 private:
  const Tensor& tensor_;
  std::vector<std::int64_t> sizes_;
};

ListCheck check_of(std::string_view call, int rank, int device, const std::source_location& at) {
  return {{.call = fmt::format("{}: {}", to_string(to_place(at)), call),
           .rank = rank,
           .device = device,
           .at = at}};
}

struct PairOf {
  int rank;
  int member;
  const ListCheck& check;
};

// A tensor of a pair; null: without elements.
struct PairedTensor {
  const Tensor* tensor;
  Shape shape;
};

// Messages from this rank to a member and back; a copy if the member is this rank.
void add_pair(Exchange& to, const PairOf& pair, const PairedTensor& input, const PairedTensor& output) {
  const auto& [rank, member, check] = pair;
  if (member == rank) {
    check.require(input.shape == output.shape, fmt::format("this rank sends itself {}, and expects {}",
                                                           to_string(input.shape), to_string(output.shape)));
    if (input.tensor == nullptr) return;
    check.alike(*input.tensor, *output.tensor);
    to.moves.push_back(copied(*input.tensor, *output.tensor, rank));
    return;
  }
  if (input.tensor != nullptr) to.moves.push_back(sent(*input.tensor, member));
  if (output.tensor != nullptr) to.moves.push_back(received(*output.tensor, member));
  to.paired.push_back(side_of(true, rank, member, input.shape, input.tensor, to.dtype, check));
  to.paired.push_back(side_of(false, rank, member, output.shape, output.tensor, to.dtype, check));
}

}  // namespace

Distributed::Done Distributed::scatter(Tensor tensor, std::vector<Tensor> scatter_list, int src, Group group,
                                       Here at) {
  const Site site = site_of(group, "scatter", at);
  const ListCheck check = check_of("scatter", rank_, site.device, at);
  const std::vector<int>& members = site.group->members();
  check.root(src, *site.group);
  check.list(scatter_list, kScatterList, rank_ == src, site.group->size());
  const Listed listed{world_, rank_, check, *site.group};
  listed.apart(tensor, "output", scatter_list, "input");
  std::vector<TensorMove> moves;
  if (rank_ != src) moves.push_back(received(tensor, src));
  for (const auto& [member, share] : views::zip(members, scatter_list)) {
    check.alike(share, tensor);
    moves.push_back(member == rank_ ? copied(share, tensor, rank_) : sent(share, member));
  }
  return exchange({.call = "scatter",
                   .operation = "SCATTER",
                   .shape = to_string(tensor.shape()),
                   .dtype = tensor.dtype(),
                   .details = fmt::format("root {}, on {}", src, places_of(tensor, at)),
                   .moves = std::move(moves),
                   .group = std::move(group),
                   .at = at});
}

Distributed::Done Distributed::gather(Tensor tensor, std::vector<Tensor> gather_list, int dst, Group group,
                                      Here at) {
  const Site site = site_of(group, "gather", at);
  const ListCheck check = check_of("gather", rank_, site.device, at);
  const std::vector<int>& members = site.group->members();
  check.root(dst, *site.group);
  check.list(gather_list, kGatherList, rank_ == dst, site.group->size());
  const Listed listed{world_, rank_, check, *site.group};
  listed.apart(tensor, "input", gather_list, "output");
  listed.outputs(gather_list);
  std::vector<TensorMove> moves;
  if (rank_ != dst) moves.push_back(sent(tensor, dst));
  for (const auto& [member, gathered] : views::zip(members, gather_list)) {
    check.alike(gathered, tensor);
    moves.push_back(member == rank_ ? copied(tensor, gathered, rank_) : received(gathered, member));
  }
  return exchange({.call = "gather",
                   .operation = "GATHER",
                   .shape = to_string(tensor.shape()),
                   .dtype = tensor.dtype(),
                   .details = fmt::format("root {}, on {}", dst, places_of(tensor, at)),
                   .moves = std::move(moves),
                   .group = std::move(group),
                   .at = at});
}

Distributed::Done Distributed::all_gather(std::vector<Tensor> tensor_list, Tensor tensor, Group group,
                                          Here at) {
  const Site site = site_of(group, "all_gather", at);
  const ListCheck check = check_of("all_gather", rank_, site.device, at);
  const std::vector<int>& members = site.group->members();
  check.participants(tensor_list, site.group->size());
  const Listed listed{world_, rank_, check, *site.group};
  listed.apart(tensor, "input", tensor_list, "output");
  listed.outputs(tensor_list);
  std::vector<TensorMove> moves;
  for (const auto& [member, gathered] : views::zip(members, tensor_list)) {
    if (member == rank_) {
      check.alike(gathered, tensor);
      moves.push_back(copied(tensor, gathered, rank_));
      continue;
    }
    moves.push_back(sent(tensor, member));
    moves.push_back(received(gathered, member));
  }
  return exchange({.call = "all_gather",
                   .operation = "ALLGATHER",
                   .shape = shapes_of(tensor_list),
                   .dtype = tensor.dtype(),
                   .details = "on " + all_places(tensor_list, at),
                   .moves = std::move(moves),
                   .group = std::move(group),
                   .at = at});
}

Distributed::Done Distributed::reduce_scatter(Tensor output, std::vector<Tensor> input_list, ReduceOp op,
                                              Group group, Here at) {
  const Site site = site_of(group, "reduce_scatter", at);
  const ListCheck check = check_of("reduce_scatter", rank_, site.device, at);
  const std::vector<int>& members = site.group->members();
  check.participants(input_list, site.group->size());
  const Listed listed{world_, rank_, check, *site.group};
  listed.apart(output, "output", input_list, "input");
  const std::string problem = combination_problem(op, output.dtype());
  check.require(problem.empty(), problem);
  std::vector<TensorMove> moves;
  for (const auto& [member, share] : views::zip(members, input_list)) {
    if (member == rank_) {
      check.alike(share, output);
      moves.push_back(copied(share, output, rank_));
      continue;
    }
    moves.push_back(sent(share, member));
    moves.push_back(received(output, member));
  }
  return exchange({.call = "reduce_scatter",
                   .operation = "REDUCE_SCATTER",
                   .shape = shapes_of(input_list),
                   .dtype = output.dtype(),
                   .details = fmt::format("{}, on {}", to_string(op), all_places(input_list, at)),
                   .moves = std::move(moves),
                   .op = op,
                   .group = std::move(group),
                   .at = at});
}

Distributed::Done Distributed::all_to_all_by_splits(const Tensor& output, const Tensor& input,
                                                    AllToAllOptions options, Here at) {
  const Site site = site_of(options.group, "all_to_all_single", at);
  const ListCheck check = check_of("all_to_all_single", rank_, site.device, at);
  check.require(options.algorithm.empty(), "split sizes need no algorithm: parts are messages between pairs");
  check.require(output.dtype() == input.dtype(), "Tensors must have identical type");
  require_apart(world_, rank_, check.call, {"input", input}, {"output", output});
  const int ranks = site.group->size();
  const Splits inputs{input, std::move(options.input_split_sizes), ranks, check};
  const Splits outputs{output, std::move(options.output_split_sizes), ranks, check};
  Exchange exchange_of{.call = "all_to_all_single",
                       .operation = "ALLTOALL",
                       .shape = "by split sizes",
                       .dtype = input.dtype(),
                       .group = std::move(options.group),
                       .at = at};
  for (int i = 0; i < ranks; ++i) {
    const int member = site.group->members()[static_cast<std::size_t>(i)];
    const std::optional<Tensor> from = inputs.part(i, at);
    const std::optional<Tensor> to = outputs.part(i, at);
    add_pair(exchange_of, {.rank = rank_, .member = member, .check = check},
             {from ? &*from : nullptr, inputs.shape(i)}, {to ? &*to : nullptr, outputs.shape(i)});
  }
  return exchange(std::move(exchange_of));
}

Distributed::Done Distributed::all_to_all(std::vector<Tensor> output_tensor_list,
                                          std::vector<Tensor> input_tensor_list, Group group, Here at) {
  const Site site = site_of(group, "all_to_all", at);
  const ListCheck check = check_of("all_to_all", rank_, site.device, at);
  check.participants(output_tensor_list, site.group->size());
  check.participants(input_tensor_list, site.group->size());
  const Listed listed{world_, rank_, check, *site.group};
  listed.outputs(output_tensor_list);
  for (const auto& [i, input] : views::zip(views::iota(0), input_tensor_list)) {
    check.require(input.dtype() == input_tensor_list.front().dtype(), "Tensors must have identical type");
    listed.apart(input, fmt::format("input {}", i), output_tensor_list, "output");
  }
  Exchange exchange_of{.call = "all_to_all",
                       .operation = "ALLTOALL",
                       .shape = "of lists",
                       .dtype = input_tensor_list.front().dtype(),
                       .group = std::move(group),
                       .at = at};
  for (const auto& [member, from, to] :
       views::zip(site.group->members(), input_tensor_list, output_tensor_list)) {
    check.require(from.dtype() == to.dtype(), "Tensors must have identical type");
    add_pair(exchange_of, {.rank = rank_, .member = member, .check = check}, {&from, from.shape()},
             {&to, to.shape()});
  }
  return exchange(std::move(exchange_of));
}

}  // namespace kbsim::host
