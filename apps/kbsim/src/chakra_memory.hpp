#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/inputs/chakra/workload.hpp"

namespace kbsim::app {

/// Number of f16 elements that hold `bytes`, rounded up to a multiple of `parts`.
[[nodiscard]] std::int64_t elements_of(std::int64_t bytes, std::int64_t parts);

/// Memory that a communication's tensors take on PE 0 of a rank's package.
[[nodiscard]] Bytes tensors_of(const inputs::chakra::Communication& what, int rank);

/// The memories of PE 0 of all ranks, for the tensors of communications under way. A communication is
/// admitted if each rank has a free piece for its tensors and for those that are still to be made. A rank
/// without a communication under way always admits it.
class ChakraMemory {
 public:
  /// The largest free piece of a rank's memory.
  using LargestFree = std::function<Bytes(int rank)>;
  ChakraMemory(int ranks, LargestFree largest_free)
      : largest_free_{std::move(largest_free)}, used_(static_cast<std::size_t>(ranks)) {}

  [[nodiscard]] bool admits(const inputs::chakra::Communication& what) const;
  void take(const inputs::chakra::Communication& what);
  /// A rank has made its tensors of a communication.
  void made(const inputs::chakra::Communication& what, int rank);
  /// A rank's part of a communication has ended.
  void give_back(int rank);

 private:
  struct Used {
    Bytes to_make{};
    int communications = 0;
  };
  LargestFree largest_free_;
  std::vector<Used> used_;  // by rank
};

}  // namespace kbsim::app
