#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <string_view>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/oplog/evaluator.hpp"
#include "kbsim/oplog/log.hpp"

namespace kbsim::hw {

class IGemm;
class IIpcq;
class IMath;
class IMmu;
class IScheduler;
class RaceWatch;

/// Reports that a launch's kernel here has reached a barrier, for the launch's other PEs.
class BarrierLine {
 public:
  virtual ~BarrierLine() = default;
  virtual void reached(Time at, std::uint32_t number) = 0;
};

/// The units of one PE, as a kernel's commands find them.
struct PeUnits {
  PeCoord at;
  Simulation* sim = nullptr;
  const Fabric* fabric = nullptr;
  NodeId cpu = {};
  NodeId tcm = {};
  const config::MachineSpec* spec = nullptr;
  oplog::OpLog* log = nullptr;
  std::uint32_t lane = 0;
  Time dispatch{};  // of one command
  IScheduler* scheduler = nullptr;
  IMath* math = nullptr;
  IGemm* gemm = nullptr;
  IMmu* mmu = nullptr;
  IIpcq* ipcq = nullptr;
  BarrierLine* barriers = nullptr;
  RaceWatch* races = nullptr;
  const oplog::Evaluator* evaluator = nullptr;
  std::int64_t max_commands = 0;             // of one run of a kernel
  std::shared_ptr<const bool> machine_runs;  // false once the machine is being taken down

  /// A command's value; values are reserved in program order, when the kernel asks.
  [[nodiscard]] oplog::ValueId reserve() const { return log->reserve(lane); }
  /// KernelFault that names the call if this run computes no numbers.
  void require_numbers(std::string_view call, const std::source_location& line) const;
};

}  // namespace kbsim::hw
