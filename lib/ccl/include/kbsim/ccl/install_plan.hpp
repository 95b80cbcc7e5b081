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

/// One PE's end of a queue: the peer writes into my_ring, and this PE into peer_ring. A queue of one
/// direction has one ring, the receiver's, which both ends name.
struct QueuePlan {
  std::string direction;
  PeCoord peer;
  topology::PhysAddr my_ring;
  topology::PhysAddr peer_ring;
  Flow flow = Flow::both;
  std::optional<topology::PhysAddr> tcm = {};  // the part of the TCM that my_ring takes
};

struct PePlan {
  PeCoord pe;
  std::vector<QueuePlan> queues;
};

/// The queues that one SIP sets up before an algorithm can run; PEs in the order of their coordinates.
struct InstallPlan {
  std::string algorithm;
  int sip = 0;
  QueueSettings settings;
  std::vector<PePlan> pes;
  bool per_pe = false;  // PEs are set up one after the other, each by a message of its own
};

/// The settings of an algorithm's queues, in any memory.
[[nodiscard]] QueueSettings queue_settings(const config::AlgorithmSpec& algorithm);

/// UsageError naming both if two rings have a byte in common.
void require_disjoint(const std::vector<InstallPlan>& plans);

/// The owners of queues: package sips[r] is rank r's, and these PEs of package 0 take part on every package.
/// Without sips, rank r is package r; without PEs, the algorithm's mapper chooses them.
struct Membership {
  std::vector<int> sips = {};
  std::vector<PeCoord> pes = {};
};

/// A plan per SIP of a machine that has just the members' packages. Rings are allocated by the machine's
/// allocators, so that they overlap with nothing: in the PE's TCM at addresses of its IPCQ space (buffer_kind
/// tcm), in its HBM slice (hbm), or in its cube's SRAM (sram). UsageError for an unknown topology or mapper,
/// a wiring whose queues don't pair, or rings that their memory has no room for.
[[nodiscard]] std::vector<InstallPlan> build_install_plans(const config::AlgorithmSpec& algorithm,
                                                           const config::MachineSpec& machine,
                                                           topology::MachineAllocators& allocators,
                                                           const Membership& members = {});

/// Frees the memory of the plans' rings.
void release_rings(const std::vector<InstallPlan>& plans, topology::MachineAllocators& allocators);

/// The most bytes that an algorithm's rings take: of a PE's TCM, of a PE's HBM slice, of a cube's SRAM.
struct RingBytes {
  Bytes tcm;
  Bytes hbm;
  Bytes sram;
};
[[nodiscard]] RingBytes ring_bytes(const config::AlgorithmSpec& algorithm,
                                   const config::MachineSpec& machine);
[[nodiscard]] Bytes rings_in_tcm(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine);

}  // namespace kbsim::ccl
