#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/config/ccl_spec.hpp"
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

/// A row of the table of collectives: the properties that host programs, benches, plans and tests use.
struct CollectiveEntry {
  std::string_view doc;
  std::string_view call = {};  // PyTorch's name, which errors and traces show; empty: the kind's own name
  Extent in = Extent::one_share;
  Extent out = Extent::one_share;
  bool in_place = true;
  bool combines = false;  // elements of several ranks become one, by a reduction
  bool has_root = false;
  bool at_root_alone = false;  // a plan gives the output on the root alone
  /// Ratio of a link's bandwidth to bytes over time, as nccl-tests define it.
  double (*bus_factor)(int ranks) = [](int) { return 1.0; };
  /// Element i of a rank's output, by definition. It asks for the same inputs whatever their values.
  double (*reference)(const CollectiveInputs& inputs, int rank, std::int64_t i) = nullptr;

  [[nodiscard]] bool has_function() const { return reference != nullptr; }
  [[nodiscard]] std::int64_t shares_in(int ranks) const { return in == Extent::one_share ? 1 : ranks; }
  [[nodiscard]] std::int64_t shares_out(int ranks) const { return out == Extent::one_share ? 1 : ranks; }
  /// Elements of a part of the output, if the input's part has n_elem.
  [[nodiscard]] std::int64_t out_elems(std::int64_t n_elem, int ranks) const {
    return n_elem / shares_in(ranks) * shares_out(ranks);
  }
  /// Whether input and output may be one tensor, the smaller a rank's share of the larger.
  [[nodiscard]] bool has_in_place_form() const { return !in_place && in != out; }
};

/// The whole table, by name. Plug-ins add to it.
[[nodiscard]] Registry<CollectiveEntry>& collectives();
/// The row of a kind. UsageError with the nearest name if there is none.
[[nodiscard]] const CollectiveEntry& collective(config::Collective which);
/// The row of an algorithm's kind. ConfigError with the algorithm's place if there is none.
[[nodiscard]] const CollectiveEntry& collective_of(const config::AlgorithmSpec& algorithm);

/// (ranks - 1) / ranks: the part of all data that other ranks hold.
[[nodiscard]] constexpr double held_by_others(int ranks) { return static_cast<double>(ranks - 1) / ranks; }

/// Always true. `abi` is KBSIM_ABI as the collective's file saw it.
bool register_collective(std::string_view name, CollectiveEntry entry, const char& abi) noexcept;

/// Adds a kind of collective with its row, in a file of its own. The further arguments are CollectiveEntry's
/// members: `.reference` at least.
#define KBSIM_COLLECTIVE(name, text, ...) \
  static const bool kRegistered_##name =  \
      ::kbsim::ccl::register_collective(#name, {.doc = text, __VA_ARGS__}, KBSIM_ABI)

}  // namespace kbsim::ccl
