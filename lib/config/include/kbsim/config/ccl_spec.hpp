#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/field.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/config/collective.hpp"

namespace kbsim::config {

/// The memory that holds the slots of queues.
enum class BufferKind { tcm, hbm, sram };

/// Their names, in the order of the enum.
inline constexpr auto kBufferKinds = std::to_array<std::string_view>({"tcm", "hbm", "sram"});
[[nodiscard]] constexpr std::string_view to_string(BufferKind kind) {
  return kBufferKinds[static_cast<std::size_t>(kind)];
}
/// The kind of that name, if there is one.
[[nodiscard]] constexpr std::optional<BufferKind> buffer_kind_of(std::string_view name) {
  const auto at = std::ranges::find(kBufferKinds, name) - kBufferKinds.begin();
  return at < std::ssize(kBufferKinds) ? std::optional{static_cast<BufferKind>(at)} : std::nullopt;
}

/// How the credit of a free slot returns: as a packet, or beside the fabric, as late as the path's slowest
/// link would carry it.
enum class CreditPath { fabric, direct };

/// How queues are set up: by one order per package, all at once, which fans out there; or PE after PE.
enum class Install { package, per_pe };

/// The default operation to combine elements of several ranks, ordered as tl's Reduction; a call may override
/// it.
enum class ReduceOp { sum, max, min, prod, avg };
inline constexpr auto kReduceOps = std::to_array<std::string_view>({"sum", "max", "min", "prod", "avg"});

/// How a kernel waits for a full or empty queue: until its event, or by polling.
enum class Backpressure { sleep, poll };

/// Settings of an algorithm; an absent one takes the default.
struct CclSettings {
  BufferKind buffer_kind = BufferKind::tcm;
  Backpressure backpressure = Backpressure::sleep;
  Time poll = 10_ns;
  int n_slots = 4;
  Bytes slot_size{4096};
  Bytes vc_chunk_size{256};
  Bytes ipcq_credit_size{16};
  CreditPath credit = CreditPath::fabric;
  Install install = Install::package;
  std::int64_t n_elem = 8;
  int world_size = 0;

  static void describe(auto& f) {
    f.choice("buffer_kind", &CclSettings::buffer_kind, {kBufferKinds.begin(), kBufferKinds.end()},
             "memory that holds the slots");
    f.choice("backpressure", &CclSettings::backpressure, {"sleep", "poll"},
             "how a full or empty queue is waited for: until its event, or by looking again");
    f.add("poll_ns", &CclSettings::poll, at_least(0.001), "time between two looks of backpressure: poll");
    f.add("n_slots", &CclSettings::n_slots, between(1, 65536), "slots of a ring");
    f.add("slot_size", &CclSettings::slot_size, at_least(1),
          "bytes of a slot, the largest payload of a send");
    f.add("vc_chunk_size", &CclSettings::vc_chunk_size, at_least(1),
          "bytes of sends after which a DMA turns to another class of traffic");
    f.add("ipcq_credit_size_bytes", &CclSettings::ipcq_credit_size, at_least(1), "a credit on the wire");
    f.choice(
        "credit", &CclSettings::credit, {"fabric", "direct"},
        "how a credit returns: as a packet, or beside the fabric after the bottleneck bandwidth's delay");
    f.choice("install", &CclSettings::install, {"package", "per_pe"},
             "how queues are set up: by one order per package that fans out there, or PE after PE");
    f.add("n_elem", &CclSettings::n_elem, at_least(1), "elements of each rank's shard");
    f.add("world_size", &CclSettings::world_size, kNotNegative,
          "number of ranks that are PEs, numbered flat; 0: each package is a rank");
  }
};

struct CclDefaults : CclSettings {
  std::string algorithm = "intercube_allreduce";

  static void describe(auto& f) {
    f.add("algorithm", &CclDefaults::algorithm,
          "the algorithm of a run that names none; not needed where there is one");
    f.template base<CclSettings>();
  }
};

/// A neighbour whose own labels don't lead back: an error of the topology, or a neighbour without a queue.
enum class Unpaired { refuse, skip };

/// When calls that pick an algorithm take one: where its estimated time is the least, or only up to its
/// limits.
enum class Picked { by_estimate, by_limit };

/// Numbers of ranks, both ends included.
struct RankRange {
  int least = 1;
  int most = std::numeric_limits<int>::max();
  [[nodiscard]] constexpr bool contains(int ranks) const { return least <= ranks && ranks <= most; }
};
/// "8", "2-8" or "", which is any number; none for any other text.
[[nodiscard]] std::optional<RankRange> rank_range(std::string_view text);

/// A limit up to which calls take an algorithm, on some numbers of ranks and some links between packages.
struct ChosenSpec {
  static constexpr std::string_view kLine = "line";

  Bytes up_to{};
  std::string ranks;  // as rank_range() reads it
  std::string links;  // a topology of packages, or kLine; "": any

  static void describe(auto& f) {
    f.add("up_to", &ChosenSpec::up_to, kNotNegative, "largest size of such a call, in bytes a rank");
    f.add("ranks", &ChosenSpec::ranks, "a number of ranks or a range, as 8 or 2-8; left out: any number");
    f.add(
        "links", &ChosenSpec::links,
        "how the packages are joined: a value of system.sips.topology; or line, a mesh_2d_no_wrap of one row "
        "or column; left out: any");
  }
};

/// A collective algorithm: a kernel and what it runs on.
struct AlgorithmSpec : CclSettings {
  std::string name;
  std::string kernel;
  Collective collective = Collective::all_reduce;
  std::string topology = "none";
  std::string mapper = "leader_only";
  std::string validator = "single_shard_per_rank";
  Unpaired unpaired = Unpaired::refuse;
  bool carries_over = false;
  ReduceOp reduce_op = ReduceOp::sum;
  std::int64_t chunk_size = 0;
  std::map<std::string, Scalar> own = {};  // the given keys of the kernel's own; see KernelKeys
  Picked picked = Picked::by_estimate;
  Bytes chosen_up_to{};
  std::vector<ChosenSpec> chosen = {};
  std::map<std::string, Place> places =
      {};                            // where its kernel, collective, topology, mapper and validator are named
  std::set<std::string> given = {};  // the settings that its entry has, whatever the defaults are

  static void describe(auto& f) {
    f.add("kernel", &AlgorithmSpec::kernel, "name of the kernel; required");
    f.add("collective", &AlgorithmSpec::collective,
          "what the kernel does, as all_gather, or sendrecv: each rank's tensor to the next rank; kbsim list "
          "has all");
    f.add("topology", &AlgorithmSpec::topology,
          "the neighbours of each rank, as ring_1d or tree_binary; none: no neighbours");
    f.add("mapper", &AlgorithmSpec::mapper, "which PEs take part, as leader_only, cube_leaders or all_pes");
    f.add("validator", &AlgorithmSpec::validator,
          "which tensors it can run on, as single_shard_per_rank or multi_pe_sip_local");
    f.choice("unpaired", &AlgorithmSpec::unpaired, {"refuse", "skip"},
             "a neighbour in the topology without a label that leads back: an error, or no queue");
    f.add("carries_over", &AlgorithmSpec::carries_over,
          "what a launch sends may be received by a later one; else it is an error");
    f.choice("reduce_op", &AlgorithmSpec::reduce_op, {kReduceOps.begin(), kReduceOps.end()},
             "how elements of several ranks become one, unless the call says");
    f.add("chunk_size", &AlgorithmSpec::chunk_size, kNotNegative,
          "elements of a message at most; 0: as many as a slot holds");
    f.choice(
        "picked", &AlgorithmSpec::picked, {"by_estimate", "by_limit"},
        "when calls that pick an algorithm take this: where its estimated time is the least, or only up to "
        "its chosen_up_to and chosen");
    f.add("chosen_up_to", &AlgorithmSpec::chosen_up_to, kNotNegative,
          "calls that pick an algorithm take this for up to so many bytes a rank, whatever the estimates");
    f.list(
        "chosen", &AlgorithmSpec::chosen, [](const auto&) { return ChosenSpec{}; },
        "further limits, each for some numbers of ranks and some links");
    f.template base<CclSettings>();
  }
};

/// The collective algorithms that a ccl file declares; immutable once read.
struct CclSpec {
  CclDefaults defaults;
  std::map<std::string, AlgorithmSpec> algorithms;  // the defaults filled in, their own keys win

  /// The algorithm of that name, the default one for "". Throws UsageError with the nearest name.
  [[nodiscard]] const AlgorithmSpec& resolve(std::string_view name) const;
  /// The algorithm that the program `bench` runs unless another is named; UsageError if the file lacks it.
  [[nodiscard]] const AlgorithmSpec& usual(std::string_view name, std::string_view bench) const;

  static void describe(FieldList<CclSpec>& f);
};

}  // namespace kbsim::config
