// Collectives with one tensor per rank: messages between pairs, in one kernel per PE.
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

ListCheck check_of(std::string_view call, int rank, int device, const std::source_location& at) {
  return {{.call = fmt::format("{}: {}", to_string(to_place(at)), call),
           .rank = rank,
           .device = device,
           .at = at}};
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

}  // namespace kbsim::host
