#include "mock_memory.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::mock {
namespace {

constexpr std::uint64_t kPage = 0x1000;
constexpr std::byte kUnwritten{0xff};

}  // namespace

std::uint64_t Memory::allocate(Bytes n) {
  const std::uint64_t va = next_;
  const auto size = static_cast<std::uint64_t>(n.count());
  next_ += (size / kPage + 2) * kPage;
  allocations_.emplace(va, std::vector<std::byte>(size, kUnwritten));
  return va;
}

std::span<std::byte> Memory::at(std::uint64_t va, Bytes n) {
  const auto after = allocations_.upper_bound(va);
  if (after == allocations_.begin()) throw KernelFault{fmt::format("{:#x} is not mapped", va)};
  auto& [first, bytes] = *std::prev(after);
  const std::uint64_t offset = va - first;
  const auto size = static_cast<std::uint64_t>(n.count());
  if (offset <= bytes.size() && size <= bytes.size() - offset) return std::span{bytes}.subspan(offset, size);
  throw KernelFault{fmt::format("{:#x} is not mapped; nearest mapping: {:#x} to {:#x}",
                                std::max(va, first + bytes.size()), first, first + bytes.size())};
}

}  // namespace kbsim::mock
