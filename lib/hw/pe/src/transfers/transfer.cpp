#include "kbsim/hw/pe/transfer.hpp"

#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/pe/pe_tile.hpp"

namespace kbsim::hw {

void Transfer::advance(Bytes n) {
  Piece& piece = pieces_[next_];
  piece.memory = {.pa = piece.memory.pa + n, .bytes = piece.memory.bytes - n};
  piece.offset += n.count();
  if (piece.memory.bytes == 0_B) ++next_;
}

DmaRequest Transfer::read(const DmaSite& site, Bytes bytes, Token token) const {
  const MemoryAddress from = locate(*site.graph, next_piece().memory.pa);
  return {.to = from.memory,
          .body = ReadRequest{.address = from.address, .bytes = bytes, .reply_to = site.tcm, .token = token}};
}

DmaRequest Transfer::write(const DmaSite& site, Bytes bytes, Token token) const {
  const MemoryAddress to = locate(*site.graph, next_piece().memory.pa);
  const oplog::Slice contents{origin_.value, offset(), bytes.count()};
  return {
      .to = to.memory,
      .body = WriteData{.address = to.address, .contents = contents, .reply_to = site.dma, .token = token},
      .payload = bytes};
}

oplog::MemoryAccess Transfer::accesses(bool write) const {
  return {.op = origin_.value,
          .write = write,
          .call = origin_.call,
          .at = origin_.pending->at(),
          .issue = origin_.issue};
}

void Transfer::record(const DmaSite& site, Time now, const PeTile& moved) const {
  if (site.log->keeps_operations()) return record(site, now, moved.operand());
  site.log->record_times({.kind = oplog::OpKind::copy,
                          .elements = moved.shape().elements(),
                          .unit = site.dma,
                          .start = progress.start,
                          .end = now});
}

void Transfer::record(const DmaSite& site, Time now, oplog::Operand moved) const {
  site.log->record({.id = origin_.value,
                    .kind = oplog::OpKind::copy,
                    .dtype = moved.dtype,
                    .shape = moved.shape,
                    .unit = site.dma,
                    .start = progress.start,
                    .end = now,
                    .inputs = {std::move(moved)}},
                   origin_.call);
}

}  // namespace kbsim::hw
