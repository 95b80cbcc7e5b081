#include "chakra_memory.hpp"

#include <algorithm>

#include "kbsim/base/dtype.hpp"
#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/topology/allocator.hpp"

namespace kbsim::app {
namespace {

using inputs::chakra::Communication;
using inputs::chakra::CommunicationKind;

// Size as allocated.
Bytes tensor_of(std::int64_t elements) {
  const std::int64_t unit = topology::kDefaultAlignment.count();
  return Bytes{ceil_div(elements * itemsize(f16), unit) * unit};
}

}  // namespace

std::int64_t elements_of(std::int64_t bytes, std::int64_t parts) {
  return ceil_div(ceil_div(bytes, std::int64_t{itemsize(f16)}), parts) * parts;
}

Bytes tensors_of(const Communication& what, int rank) {
  const auto ranks = static_cast<int>(what.ranks.size());
  const Bytes one = tensor_of(elements_of(what.bytes, 1));
  switch (what.kind) {
    case CommunicationKind::barrier: return {};
    case CommunicationKind::message: return one;
    case CommunicationKind::gather:
    case CommunicationKind::scatter: return rank == what.root ? one * (ranks + 1) : one;
    case CommunicationKind::collective: break;
  }
  const ccl::CollectiveEntry& row = ccl::collective(what.collective);
  const std::int64_t elements = elements_of(what.bytes, row.shares_in(ranks));
  return tensor_of(elements) + (row.in_place ? Bytes{} : tensor_of(row.out_elems(elements, ranks)));
}

bool ChakraMemory::admits(const Communication& what) const {
  return std::ranges::all_of(what.ranks, [&](int rank) {
    const Used& used = used_[static_cast<std::size_t>(rank)];
    return used.communications == 0 || used.to_make + tensors_of(what, rank) <= largest_free_(rank);
  });
}

void ChakraMemory::take(const Communication& what) {
  for (const int rank : what.ranks) {
    Used& used = used_[static_cast<std::size_t>(rank)];
    used.to_make += tensors_of(what, rank);
    ++used.communications;
  }
}

void ChakraMemory::made(const Communication& what, int rank) {
  used_[static_cast<std::size_t>(rank)].to_make -= tensors_of(what, rank);
}

void ChakraMemory::give_back(int rank) { --used_[static_cast<std::size_t>(rank)].communications; }

}  // namespace kbsim::app
