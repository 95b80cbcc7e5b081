#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/queue_settings.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/ccl/wiring.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/topology/allocator.hpp"

namespace kbsim::ccl {

/// One PE's end of a queue: its ring is where the peer writes, the peer's ring where it writes. A queue of
/// one direction has one ring, the receiver's, which both ends name.
struct QueuePlan {
  std::string direction;
  PeCoord peer;
  topology::PhysAddr my_ring;
  topology::PhysAddr peer_ring;
  Flow flow = Flow::both;
  std::optional<topology::PhysAddr> tcm = {};  // what my ring takes of the TCM
};

struct PePlan {
  PeCoord pe;
  std::vector<QueuePlan> queues;
};

/// What one SIP has to set up before an algorithm can run; PEs in the order of their coordinates.
struct InstallPlan {
  std::string algorithm;
  int sip = 0;
  QueueSettings settings;
  std::vector<PePlan> pes;
  bool per_pe = false;  // PE after PE is told, each by a message of its own
};

/// Of an algorithm's queues, wherever they are.
[[nodiscard]] QueueSettings queue_settings(const config::AlgorithmSpec& algorithm);

/// UsageError naming both if two rings have a byte in common.
void require_disjoint(const std::vector<InstallPlan>& plans);

/// Who has the queues: package sips[r] is rank r's, and these PEs of package 0, each on every package, take
/// part. Of none: rank r is package r, and the algorithm's mapper says.
struct Membership {
  std::vector<int> sips = {};
  std::vector<PeCoord> pes = {};
};

/// A plan per SIP of a machine that has just the members' packages. Rings are reserved from the machine's
/// allocators, so that they overlap with nothing: a PE's in its TCM (buffer_kind tcm), at the addresses of
/// its IPCQ space, or in its HBM slice (hbm), or in the SRAM of its cube (sram). UsageError for an unknown
/// topology or mapper, a wiring whose queues don't pair, or rings that their memory has no room for.
[[nodiscard]] std::vector<InstallPlan> build_install_plans(const config::AlgorithmSpec& algorithm,
                                                           const config::MachineSpec& machine,
                                                           topology::MachineAllocators& allocators,
                                                           const Membership& members = {});

/// Gives the memory of their rings back.
void release_rings(const std::vector<InstallPlan>& plans, topology::MachineAllocators& allocators);

/// Bytes of its TCM that rings take on the PE that has most of them; with this algorithm alone.
[[nodiscard]] Bytes rings_in_tcm(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine);

}  // namespace kbsim::ccl
