#pragma once

#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/load_transfer.hpp"

namespace kbsim::hw {

/// A slot outside TCM to TCM; then the slot is free.
class FetchTransfer final : public LoadTransfer {
 public:
  FetchTransfer(Origin origin, const topology::PhysRange& where, std::shared_ptr<PeTile> into,
                const RingSlot& slot)
      : LoadTransfer{std::move(origin), {{.memory = where}}, std::move(into)}, slot_{slot} {}

  void finish(const DmaSite& site, Time now) override {
    deliver(site, now);
    slot_.ipcq->release(now, slot_.queue, slot_.slot);
    complete(now);
  }
  [[nodiscard]] std::optional<oplog::MemoryAccess> access() const override { return std::nullopt; }

 private:
  RingSlot slot_;
};

}  // namespace kbsim::hw
