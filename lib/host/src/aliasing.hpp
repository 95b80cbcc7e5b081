#pragma once

#include <string>
#include <string_view>

#include <range/v3/view/zip.hpp>

#include "kbsim/host/rank_world.hpp"
#include "kbsim/host/tensor.hpp"

namespace kbsim::host {

/// A tensor of a call, and its role there: "input", "output 2".
struct AliasedTensor {
  std::string role;
  const Tensor& tensor;
};

/// Whether both have the same bytes on every PE.
[[nodiscard]] bool same_bytes(const Tensor& a, const Tensor& b);
/// Whether on every PE `part` is share `index_on(pe)` of `whole`: the in-place form of a gather or a scatter.
template <class Index>
[[nodiscard]] bool is_share(const Tensor& part, const Tensor& whole, const Index& index_on) {
  if (part.state() != whole.state() || part.shards().size() != whole.shards().size()) return false;
  for (const auto& [small, large] : ranges::views::zip(part.shards(), whole.shards())) {
    if (small.spec.at != large.spec.at) return false;
    if (small.pa != large.pa + small.spec.nbytes * index_on(small.spec.at)) return false;
  }
  return true;
}

/// UsageError with both tensors and their byte ranges if any byte is in both. It ends all ranks of the spawn
/// even if the program catches it: other ranks may be in the collective already.
void require_apart(World& world, int rank, const std::string& call, const AliasedTensor& a,
                   const AliasedTensor& b);

}  // namespace kbsim::host
