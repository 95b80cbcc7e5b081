// Plans a DMA's turns: packets of bursts, or reads.
#include <memory>

#include "kbsim/hw/pe/i_dma_plan.hpp"

#include "bursts/dma_bursts.hpp"
#include "reads/dma_reads.hpp"

namespace kbsim::hw {
namespace {

// Links are claimed for bursts or for reads, never for both. A turn of the present time is past from the
// second batch on.
class DmaPlan final : public IDmaPlan {
 public:
  explicit DmaPlan(DmaEngine& engine) : engine_{engine}, bursts_{engine}, reads_{engine} {}

  void begin_turn() override {
    if (bursts_.active()) bursts_.take_turns(engine_.batch() > 1);
  }
  bool goes_on() override {
    if (bursts_.active() && bursts_.has_rival()) bursts_.end(engine_.batch() > 1);
    return reads_.active() && reads_.go_on();
  }
  bool plan_reads() override { return !bursts_.active() && !bursts_.has_claim() && reads_.begin(); }
  std::optional<Time> plan_burst(DmaQueue& queue, Bytes size, Time gap) override {
    return bursts_.plan(queue, size, gap);
  }
  void send(Message& message, Bytes size, Lane::Slot slot) override { bursts_.send(message, size, slot); }
  void leave(Time at) override { bursts_.leave(at); }
  void is_due(Token token) override { reads_.is_due(token); }
  void before_read() override { bursts_.before_read(); }

  [[nodiscard]] bool passes_now() const override { return bursts_.passes_now(); }
  [[nodiscard]] bool ends(const DmaQueue& queue) const override { return bursts_.ends(queue); }
  [[nodiscard]] bool finishes(const TransferPtr& transfer) const override {
    return reads_.finishes(transfer);
  }

 private:
  DmaEngine& engine_;
  DmaBursts bursts_;
  DmaReads reads_;
};

std::unique_ptr<IDmaPlan> make_plan(DmaEngine& engine) { return std::make_unique<DmaPlan>(engine); }

[[maybe_unused]] const bool kPlansTurns = register_dma_planner(make_plan);

}  // namespace
}  // namespace kbsim::hw
