#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>

#include "kbsim/config/collective.hpp"

namespace kbsim::ccl {

/// Whether a part of a tensor is one share of a rank, or one share per rank.
enum class Extent { one_share, all_shares };

/// The inputs of a collective: the same part of each rank's input, element by element.
struct CollectiveInputs {
  int ranks = 1;
  std::int64_t n_elem = 0;  // of each rank's part
  int root = 0;
  std::function<double(int rank, std::int64_t i)> in;
  std::function<double(std::int64_t i)> combined;  // of all ranks' elements i, if the collective combines
};

/// A row of the table of collectives: the properties that host programs, benches and tests use.
struct CollectiveEntry {
  std::string_view call;  // PyTorch's name, which host programs use
  Extent in = Extent::one_share;
  Extent out = Extent::one_share;
  bool in_place = true;
  bool combines = false;  // elements of several ranks become one, by a reduction
  bool has_root = false;
  /// Ratio of a link's bandwidth to bytes over time, as nccl-tests define it.
  double (*bus_factor)(int ranks) = [](int) { return 1.0; };
  /// Element i of a rank's output, by definition.
  double (*reference)(const CollectiveInputs& inputs, int rank, std::int64_t i) = nullptr;

  [[nodiscard]] std::int64_t shares_in(int ranks) const { return in == Extent::one_share ? 1 : ranks; }
  [[nodiscard]] std::int64_t shares_out(int ranks) const { return out == Extent::one_share ? 1 : ranks; }
  /// Elements of a part of the output, if the input's part has n_elem.
  [[nodiscard]] std::int64_t out_elems(std::int64_t n_elem, int ranks) const {
    return n_elem / shares_in(ranks) * shares_out(ranks);
  }
};

/// The row of a collective.
[[nodiscard]] const CollectiveEntry& collective(config::Collective which);
/// The whole table.
[[nodiscard]] const std::map<config::Collective, CollectiveEntry>& collectives();

/// (ranks - 1) / ranks: the part of all data that other ranks hold.
[[nodiscard]] constexpr double held_by_others(int ranks) { return static_cast<double>(ranks - 1) / ranks; }

/// Always true.
bool register_collective(config::Collective which, const CollectiveEntry& entry);

/// Adds the row of a value of config::Collective, in a file of its own. The further arguments are
/// CollectiveEntry's members.
#define KBSIM_COLLECTIVE(name, ...)      \
  static const bool kRegistered_##name = \
      ::kbsim::ccl::register_collective(::kbsim::config::Collective::name, {__VA_ARGS__})

}  // namespace kbsim::ccl
