#include "read_schedule.hpp"

#include <algorithm>

#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/pe/dma_engine.hpp"

namespace kbsim::hw {
namespace {

constexpr std::uint64_t kApart = 32;

}  // namespace

bool ReadSchedule::fits(Fabric& fabric, const DmaSite& site, const Transfer& first, Bytes largest) {
  if (!first.only_reads() || first.all_sent() || site.graph->spec().shares_hbm()) return false;
  const Piece& next = first.pieces()[first.next_index()];
  const topology::PhysAddr pa = next.memory.pa;
  const MemoryAddress from = locate(*site.graph, pa);
  if (!path_.find(fabric, site.dma, from.memory, site.tcm)) return false;
  tcm_ = site.tcm;
  slice_ = site.graph->spec().cube.memory.hbm_per_pe;
  packet_ = fabric.packet_size(largest);
  first_ = topology::PhysAddr::from_bits(pa.bits() - static_cast<std::uint64_t>(from.address));
  return is_near(next);
}

bool ReadSchedule::begin(const Terms& terms, const Port& port, ILinkClaim& holder) {
  if (!path_.are_free()) return false;
  if (ring_.empty()) ring_.resize(mask_ + 1);
  terms_ = terms;
  port_ = start_ = port;
  outstanding_ = 0_B;
  answers_ = own_ = kept_ = sent_ = unanswered_ = next_ = 0;
  before_.clear();
  reserved_.clear();
  ahead_ = path_.state();
  old_ = young_ = {.state = ahead_, .reads = 0};
  next_wake_ = Time{};
  active_ = true;
  path_.claim(holder);
  return true;
}

void ReadSchedule::add_answered(Time answered, Bytes window) {
  outstanding_ += window;
  push({.window = window, .answered = answered});
  answers_ = own_ = old_.reads = young_.reads = next_;
}

void ReadSchedule::add_sent(const TransferPtr& transfer, const Read& read, const ReadPath::ReadState& where,
                            oplog::Slices contents) {
  before_.push_back({.where = where, .contents = std::move(contents)});
  ReadPath::ReadState states = where;
  path_.pass(ahead_, read.bytes, states);
  outstanding_ += read.window;
  if (reserved_.empty() || reserved_.back().transfer != transfer) {
    reserved_.push_back({.transfer = transfer,
                         .first = next_,
                         .piece = transfer->next_index(),
                         .whole = transfer->all_sent()});
  }
  push(read);
  at(next_ - 1).answered = states.head;
  reserved_.back().end = own_ = next_;
}

void ReadSchedule::push(const Read& read) {
  if (next_ - kept_ > mask_) grow();
  at(next_++) = read;
  __builtin_prefetch(&at(next_ + 1), 1);  // the entry after the next
}

bool ReadSchedule::can_reserve(const Transfer& transfer, std::size_t piece) const {
  return transfer.only_reads() && is_near(transfer.pieces()[piece]);
}

// True if the piece is at most a packet, and in the slice.
bool ReadSchedule::is_near(const Piece& piece) const {
  const topology::PhysRange& range = piece.memory;
  return range.bytes <= packet_ && range.pa >= first_ && range.pa + range.bytes <= first_ + slice_;
}

void ReadSchedule::answer_next() { outstanding_ -= at(unanswered_++).window; }

// The first time from `now` on at which the port is free and the window has room.
Time ReadSchedule::send_time(Bytes window, Time now) {
  Time time = std::max(port_.free, now);
  while (unanswered_ < next_ && at(unanswered_).answered <= time) answer_next();
  while (outstanding_ > 0_B && outstanding_ + window > terms_.window) {
    time = at(unanswered_).answered;
    answer_next();
  }
  return time;
}

void ReadSchedule::reserve(const Piece& piece, Time now) {
  const Bytes bytes = piece.memory.bytes;
  const Bytes window = DmaEngine::window_of(bytes, terms_.request);
  const Time sent = send_time(window, now);
  ReadPath::ReadState read{.head = sent, .tail = sent};
  path_.pass(ahead_, bytes, read);
  port_ = {.free = sent + terms_.pace,
           .turn_left = (port_.turn_left <= 0_B ? terms_.chunk : port_.turn_left) - bytes,
           .used = true};
  outstanding_ += window;
  push({.address = (piece.memory.pa - first_).count(),
        .offset = piece.offset,
        .bytes = bytes,
        .window = window,
        .turn_left = port_.turn_left,
        .sent = sent,
        .answered = read.head});
}

// Revoked reads are replayed from the younger of two kept states whose reads are all answered.
void ReadSchedule::keep_state(Time now) {
  if (young_.reads > old_.reads && at(young_.reads - 1).answered < now) old_ = young_;
  if (young_.reads == old_.reads && next_ >= old_.reads + kApart) young_ = {.state = ahead_, .reads = next_};
  forget();
}

// Keeps one read more than needed: the last sent one says when the port is free.
void ReadSchedule::forget() {
  std::uint64_t first = std::min(old_.reads, unanswered_);
  if (!reserved_.empty()) first = std::min(first, reserved_.front().first);
  if (first > 0) kept_ = std::max(kept_, first - 1);
}

void ReadSchedule::grow() {
  std::vector<Read> larger(2 * ring_.size());
  const std::uint64_t mask = larger.size() - 1;
  for (std::uint64_t i = kept_; i < next_; ++i) larger[i & mask] = at(i);
  ring_ = std::move(larger);
  mask_ = mask;
}

ReadSchedule::Port ReadSchedule::end() {
  active_ = false;
  path_.apply(ahead_);
  path_.release();
  return port_;
}

}  // namespace kbsim::hw
