#pragma once

#include "kbsim/hw/memory/memory.hpp"

namespace kbsim::hw {

class PeDma;
class PeIpcq;

struct PeTcmSpec {
  Bandwidth read_rate = Bandwidth::gbs(512.0);
  Bandwidth write_rate = Bandwidth::gbs(512.0);
  Time access = 1_ns;
  static void describe(auto& f) {
    f.add("read_bw_gbs", &PeTcmSpec::read_rate, kPositive, "bandwidth of the read port");
    f.add("write_bw_gbs", &PeTcmSpec::write_rate, kPositive, "bandwidth of the write port");
    f.add("access_ns", &PeTcmSpec::access, kNotNegative, "pipelined latency of an access");
  }
};

/// The memory private to a PE: a read and a write port of their own. Data that a load asked for is told to
/// the DMA, a neighbour's slot write to the IPCQ.
class PeTcm : public Memory {
 public:
  PeTcm(Fabric& fabric, NodeId id, PeTcmSpec spec)
      : Memory{fabric, id, spec.access, spec.read_rate, spec.write_rate, false} {}

  void start(Machine& machine) override;

 private:
  void finished(MessagePtr message) override;

  PeDma* dma_ = nullptr;
  PeIpcq* ipcq_ = nullptr;
};

}  // namespace kbsim::hw
