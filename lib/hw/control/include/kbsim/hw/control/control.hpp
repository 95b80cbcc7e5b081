#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/dtype.hpp"
#include "kbsim/base/flow.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/program_place.hpp"
#include "kbsim/base/queue_settings.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/message_body.hpp"
#include "kbsim/hw/launch_id.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/sim/causes.hpp"
#include "kbsim/topology/address.hpp"
#include "kbsim/topology/virtual_memory.hpp"

namespace kbsim {
struct KernelCall;
}

namespace kbsim::hw {

/// Run a kernel, which uses the queue set `queues`; empty: the PE's first set.
struct Launch {
  std::shared_ptr<const KernelCall> kernel;
  std::string queues = {};
  std::uint64_t round = 0;  // 0, or a collective's number: increasing, equal on all packages
  std::optional<ProgramPlace> programs = {};  // none: the PE's place among all PEs of its package
};

/// Add translations to a PE's MMU, or remove them.
struct MapPages {
  std::vector<topology::Mapping> mappings;
  bool unmap = false;
};

/// One end of a queue between two PEs: the peer writes to `my_base`, this PE to `peer_base`. In a one-way
/// queue both are the receiver's ring.
struct QueuePairPlan {
  std::string direction;
  PeCoord peer;
  topology::PhysAddr my_base;
  topology::PhysAddr peer_base;
  Flow flow = Flow::both;
};

/// Queues that the kernel of one algorithm uses, each with its own label.
struct QueueSet {
  std::vector<QueuePairPlan> queues;
  QueueSettings settings;
  std::string name = {};
};

/// Set up a PE's queues. With queues installed already it is an error, unless `beside` adds sets of new
/// names.
struct InstallQueues {
  InstallQueues() = default;
  InstallQueues(QueueSet only) : sets{std::move(only)} {}

  std::vector<QueueSet> sets;
  bool beside = false;
};

/// Remove sets of queues; done when they are empty and all their credits have returned.
struct RemoveQueues {
  std::vector<std::string> sets;
};

/// Move bytes between memories by the PE's DMA, without a kernel. Each side is a virtual address, which the
/// PE's MMU maps, or memories of any package.
struct MoveBytes {
  using Side = std::variant<std::uint64_t, topology::PhysRanges>;
  Side from;
  Side to;
  Shape shape;
  DType dtype = DType::f16;
  oplog::ValueId value;  // of the moved bytes; reserved by the caller
};

/// End launches that were ordered before this: their waits in these sets' queues fail, now and later. Tiles
/// that they have sent are dropped. Done when none of these is under way; later launches find the queues
/// empty.
struct AbortQueues {
  std::vector<std::string> sets;
};

/// One PE's part of an order, and the bytes that it adds to the message.
struct ControlTarget {
  PeCoord pe;
  std::variant<Launch, MapPages, InstallQueues, RemoveQueues, MoveBytes, AbortQueues> action;
  Bytes size;
};

/// One order of the host to the PEs of one SIP, sorted by (cube, pe): it leaves as one message, fans out
/// at IO_CPU and M_CPU, and is done when the last PE has reported back.
struct ControlJob {
  std::vector<ControlTarget> targets;
};

/// The part [first, last) of a job's targets.
struct Control {
  static constexpr BodyTraits kTraits{.name = "order", .order = 10};
  /// The launch's number within its rank, so that launches of one time keep the order of their calls; then
  /// the first target and its kind of action.
  [[nodiscard]] std::uint64_t subject() const {
    if (first >= last) return std::uint64_t{number} << 32;
    const auto& [pe, action, size] = job->targets[first];
    const auto place = (static_cast<std::uint32_t>(pe.cube) << 14) | static_cast<std::uint32_t>(pe.pe);
    return (std::uint64_t{number} << 32) | (place << 4) | static_cast<std::uint32_t>(action.index());
  }

  std::shared_ptr<const ControlJob> job;
  std::size_t first = 0;
  std::size_t last = 0;
  std::uint32_t token = 0;
  std::uint32_t order = 0;   // the host's token of the order; distinguishes launches
  std::uint32_t number = 0;  // of a launch: its number within the rank
};

/// Busy times of a PE's units, and bytes that its DMA read from memories and wrote to them; for several PEs,
/// their sum. The DMA is busy while a transfer is under way.
struct UnitWork {
  Time gemm{};
  Time math{};
  Time dma{};
  Bytes read{};
  Bytes written{};

  UnitWork& operator+=(const UnitWork& other);
  [[nodiscard]] UnitWork since(const UnitWork& earlier) const;
};

/// When the targets of an order worked on it.
struct Activity {
  Time first_start = kForever;
  Time last_start{};
  Time last_end{};
  UnitWork work{};          // of a launch
  std::uint32_t order = 0;  // of a launch: LaunchId::order
  Cause why = {};           // of last_end of a launch, if causes are kept

  void include(const Activity& other);
};

/// All PEs of a part have reached the barrier of this number.
struct BarrierReached {
  static constexpr BodyTraits kTraits{.name = "barrier reached", .order = 12};
  [[nodiscard]] std::uint64_t subject() const { return (std::uint64_t{token} << 32) | number; }

  std::uint32_t token = 0;  // of the part
  std::uint32_t number = 0;
};

/// All PEs of the package that run the part's order have reached the barrier.
struct BarrierPassed {
  static constexpr BodyTraits kTraits{.name = "barrier passed", .order = 13};
  [[nodiscard]] std::uint64_t subject() const { return (std::uint64_t{token} << 32) | number; }

  std::uint32_t token = 0;
  std::uint32_t number = 0;
};

/// All targets of a part have finished. `given_up`: at least one was given up (AbortQueues); other targets of
/// the order may wait for it.
struct ControlDone {
  static constexpr BodyTraits kTraits{.name = "report of an order", .order = 11};

  std::uint32_t token = 0;
  Activity activity;
  bool given_up = false;
};

/// A kernel of the part's launch was given up on another PE: barriers and signals may never come.
struct LaunchGivenUp {
  static constexpr BodyTraits kTraits{.name = "launch given up", .order = 14};
  [[nodiscard]] std::uint64_t subject() const { return token; }

  std::uint32_t token = 0;
};

}  // namespace kbsim::hw
