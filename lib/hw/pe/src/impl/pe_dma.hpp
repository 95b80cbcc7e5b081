#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/pe/dma_engine.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_dma_plan.hpp"

namespace kbsim::hw {

class IMmu;

/// Sends the requests of transfers, and their packets, by turns (DmaEngine). So a flow whose answers take
/// `loop` to return has at most max_outstanding * request / loop bytes per time.
class PeDma : public Component, public IDma, public IRepeatable, public DmaEngine {
 public:
  PeDma(Fabric& fabric, NodeId id, const PeDmaSpec& spec);

  void start(Machine& machine) override;
  [[nodiscard]] Task<> run() override;

  void submit(Time at, TransferPtr transfer) override {
    work_.post(at, {.kind = DmaWork::Kind::begin, .transfer = std::move(transfer)});
  }
  void loaded(Time at, Token token, oplog::Slices contents) override {
    data_loaded(at, token, std::move(contents));
  }
  [[nodiscard]] bool reads_first() override;
  [[nodiscard]] DmaUse moved() const override;
  void visit(RepeatVisitor& visitor) override;
  void show_moves_to(IMoveWatch* watch) override { watch_ = watch; }

 private:
  // The cause of room in a class's window, and the bytes that it freed.
  struct Room {
    Cause why;
    Bytes freed;
  };

  Task<> take_turns();
  void have_turn(std::vector<DmaWork>& work);
  void wake_when_free();
  void take(std::vector<DmaWork>& work);
  void explain_turn(const DmaQueue& queue);
  void note_rivals(const DmaQueue& chosen, const Cause& turn);
  [[nodiscard]] Room room_of(const DmaQueue& queue) const;
  [[nodiscard]] bool needed_room(const DmaQueue& queue, const Room& room) const;
  void explain(const Transfer& transfer, Bytes freed);
  void explain_port(Bytes sent, bool from_tcm);
  void begin(TransferPtr transfer);
  void note(const Transfer& transfer) const;
  void show(const Transfer& transfer) const;
  void answered(Token token);
  void obey(NodeId from, const Control& order);

  [[nodiscard]] bool plans_reads();
  Time send_next(DmaQueue& queue);
  Time ask(DmaQueue& queue, DmaRequest&& request, Bytes bytes);
  Time send_whole(DmaQueue& queue, DmaRequest&& request, Bytes bytes);
  Time send_packet(DmaQueue& queue);
  void remember(DmaQueue& queue, const DmaRequest& request, Bytes bytes);

  const RequestPolicyEntry* policy_;
  const IMmu* mmu_ = nullptr;
  Cause port_why_;                                            // if causes are kept
  std::unique_ptr<std::array<Room, kTrafficClasses>> rooms_;  // once there is some, if causes are kept
  bool tcm_waits_ = false;                                    // for this turn
  Time reported_ = kForever;                                  // when an order's end was last reported
  std::unique_ptr<IDmaPlan> plan_;                            // from the first work on, if it plans
};

}  // namespace kbsim::hw
