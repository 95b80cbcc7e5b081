#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/inputs/chakra/workload.hpp"

namespace kbsim::app {

/// Whole f16 elements for so many bytes, in as many equal parts.
[[nodiscard]] std::int64_t elements_of(std::int64_t bytes, std::int64_t parts);

/// What a communication's tensors take in the memory of PE 0 of a rank's package.
[[nodiscard]] Bytes tensors_of(const inputs::chakra::Communication& what, int rank);

/// The memories of those PEs, in which tensors of communications lie that are on their way: one is admitted
/// where its tensors have room in one piece behind those of others that are about to be made, or where no
/// other is on its way.
class ChakraMemory {
 public:
  /// The largest free piece of a rank's.
  using LargestFree = std::function<Bytes(int rank)>;
  ChakraMemory(int ranks, LargestFree largest_free)
      : largest_free_{std::move(largest_free)}, used_(static_cast<std::size_t>(ranks)) {}

  [[nodiscard]] bool admits(const inputs::chakra::Communication& what) const;
  void take(const inputs::chakra::Communication& what);
  /// A rank has made its tensors.
  void made(const inputs::chakra::Communication& what, int rank);
  /// A rank's part of one has ended.
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
