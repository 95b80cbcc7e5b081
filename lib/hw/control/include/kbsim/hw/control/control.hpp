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

/// Run a kernel, which has the queues of that set, or of the PE's first one.
struct Launch {
  std::shared_ptr<const KernelCall> kernel;
  std::string queues = {};
  std::uint64_t round = 0;  // of a collective: its number, larger than those before, alike on all packages
  std::optional<ProgramPlace> programs = {};  // none: the PE's place on the package, of all its PEs
};

/// Add translations to a PE's MMU, or take them away.
struct MapPages {
  std::vector<topology::Mapping> mappings;
  bool unmap = false;
};

/// One end of a queue between two PEs: my ring is where the peer writes, the peer's where I write. Of one
/// direction, both are the receiver's.
struct QueuePairPlan {
  std::string direction;
  PeCoord peer;
  topology::PhysAddr my_base;
  topology::PhysAddr peer_base;
  Flow flow = Flow::both;
};

/// Queues that a kernel has together, each by its own label; an algorithm's.
struct QueueSet {
  std::vector<QueuePairPlan> queues;
  QueueSettings settings;
  std::string name = {};
};

/// Set up all of a PE's queues; a second time is an error, unless these are to be `beside` what is there.
struct InstallQueues {
  InstallQueues() = default;
  InstallQueues(QueueSet only) : sets{std::move(only)} {}

  std::vector<QueueSet> sets;
  bool beside = false;
};

/// Take sets of queues away; done when they are empty and all their credits have come home.
struct RemoveQueues {
  std::vector<std::string> sets;
};

/// Move bytes from memory to memory, where the PE's MMU maps them, by its DMA and without a kernel.
struct MoveBytes {
  std::uint64_t from = 0;  // virtual
  std::uint64_t to = 0;
  Shape shape;
  DType dtype = DType::f16;
  oplog::ValueId value;  // what is moved; reserved by whoever orders it
};

/// Give up what launches ordered before this wait for in these sets' queues, now and later: their kernels
/// end, what they have sent is dropped. Done when nothing of it is under way; later launches find the queues
/// empty.
struct AbortQueues {
  std::vector<std::string> sets;
};

/// What one PE is told, and how many bytes it takes to say.
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
  /// Its number among the rank's launches, so that those of one time stay in the order of their calls; then
  /// its first target, and what that is told.
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
  std::uint32_t order = 0;   // of all of the host's: tells launches apart
  std::uint32_t number = 0;  // of a launch, among the rank's
};

/// How long units of a PE were busy, and what its DMA read from memories and wrote to them; of several PEs
/// their sum. The DMA is busy while it has a transfer under way.
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
  UnitWork work{};  // of a launch
  Cause why = {};   // of a launch: the last one ends then, if causes are kept

  void include(const Activity& other);
};

/// All PEs of a part have come to the barrier of this number.
struct BarrierReached {
  static constexpr BodyTraits kTraits{.name = "barrier reached", .order = 12};
  [[nodiscard]] std::uint64_t subject() const { return (std::uint64_t{token} << 32) | number; }

  std::uint32_t token = 0;  // of the part
  std::uint32_t number = 0;
};

/// All PEs of the package that run the part's order have.
struct BarrierPassed {
  static constexpr BodyTraits kTraits{.name = "barrier passed", .order = 13};
  [[nodiscard]] std::uint64_t subject() const { return (std::uint64_t{token} << 32) | number; }

  std::uint32_t token = 0;
  std::uint32_t number = 0;
};

/// All targets of a part have finished; one at least was given up (AbortQueues), which others of the order
/// may wait for.
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
