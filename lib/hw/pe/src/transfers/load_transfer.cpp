#include "kbsim/hw/pe/load_transfer.hpp"

namespace kbsim::hw {

void LoadTransfer::finish(const DmaSite& site, Time now) {
  deliver(site, now);
  complete(now);
}

void LoadTransfer::deliver(const DmaSite& site, Time now) {
  if (site.log->keeps_operations())
    record(site, now, loaded(site));
  else
    record(site, now, *into_);
  into_->arrived(now);
}

// The data from memory, and slices of the padding between it.
oplog::Operand LoadTransfer::loaded(const DmaSite& site) const {
  oplog::Operand from{.slices = {}, .shape = into_->shape(), .dtype = into_->dtype()};
  from.slices.reserve(parts_.all().size());
  std::int64_t position = 0;
  bool padded = false;
  const auto pad_to = [&](std::int64_t end) {
    if (position < end) from.slices.push_back({padding_.value, position, end - position});
    padded = padded || position < end;
    position = end;
  };
  for (const auto& [offset, part] : parts_.all()) {
    pad_to(offset);
    for (const oplog::Slice& slice : part) {
      from.slices.push_back(slice);
      position += slice.bytes;
    }
  }
  pad_to(into_->size().count());
  if (padded) {
    site.log->record({.id = padding_.value,
                      .kind = oplog::OpKind::fill,
                      .params = {.scalar = padding_.pad},
                      .dtype = into_->dtype(),
                      .shape = into_->shape(),
                      .unit = site.dma,
                      .start = progress.start,
                      .end = progress.start});
  }
  return from;
}

}  // namespace kbsim::hw
