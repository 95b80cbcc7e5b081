#include "kbsim/hw/pe/pe_tile.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"

#include "own_tile.hpp"

namespace kbsim::hw {

PeTile::PeTile(std::shared_ptr<KernelContext> owner, Shape shape, DType dtype, oplog::Slices contents,
               Time ready, const std::source_location& at, std::optional<RingSlot> slot)
    : TileState{*owner, shape, dtype},
      context_{std::move(owner)},
      contents_{std::move(contents)},
      ready_{ready},
      last_use_{ready},
      hold_{.bytes = shape.bytes(dtype), .at = at},
      slot_{slot} {
  if (slot_ && explains(*context_)) ready_why_ = last_use_why_ = causes_of(*context_).of(ready);
}

PeTile::PeTile(std::shared_ptr<PeTile> base, Shape shape, DType dtype)
    : TileState{base->owner(), shape, dtype},
      context_{base->context_},
      contents_{base->contents_},
      ready_{base->ready_},
      last_use_{base->last_use_},
      base_{base->base_ ? base->base_ : std::move(base)} {
  came_from(base_->from());
}

void PeTile::arrived(Time t) {
  ready_ = last_use_ = t;
  if (explains(*context_)) ready_why_ = last_use_why_ = causes_of(*context_).of(t);
}

oplog::Operand PeTile::operand() const {
  oplog::Operand all{.slices = contents_, .shape = shape(), .dtype = dtype()};
  if (contents_.empty()) all.slices.push_back({.value = {}, .offset = 0, .bytes = size().count()});
  return all;
}

void PeTile::take() {
  context_->turns().take(hold_);
  holds_ = true;
}

PeTile::~PeTile() {
  if (holds_) context_->turns().give(hold_, last_use_, last_use_why_);
  if (slot_ && *context_->units().machine_runs) {
    const Time let_go = held_by_unit_ ? context_->units().sim->now() : context_->clock();
    if (explains(*context_)) {
      Cause why = held_by_unit_ ? causes_of(*context_).current() : context_->turns().why();
      causes_of(*context_).because(causes_of(*context_).latest(why, last_use_why_));
    }
    slot_->ipcq->release(std::max(last_use_, let_go), slot_->queue, slot_->slot);
  }
}

}  // namespace kbsim::hw
