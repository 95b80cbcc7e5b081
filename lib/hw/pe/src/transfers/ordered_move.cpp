#include "ordered_move.hpp"

#include <algorithm>
#include <limits>

#include "kbsim/hw/fabric/reasons.hpp"

namespace kbsim::hw {
namespace {

constexpr std::size_t kPartsUnderWay = 2;

oplog::MemoryAccess access_of(const Transfer::Origin& origin, bool writes) {
  return {.op = origin.value, .write = writes, .call = "pe_dma", .at = {}, .issue = origin.issue};
}

topology::PhysRanges memories(const IMmu& mmu, const MoveBytes::Side& side, Bytes bytes) {
  if (const auto* ranges = std::get_if<topology::PhysRanges>(&side)) return *ranges;
  return mmu.translate(std::get<std::uint64_t>(side), bytes);
}

std::vector<Pieces> cut(const topology::PhysRanges& ranges, Bytes part) {
  std::vector<Pieces> parts;
  std::int64_t at = 0;
  for (topology::PhysRange left : ranges) {
    while (left.bytes > Bytes{}) {
      if (at % part.count() == 0) parts.emplace_back();
      const Bytes bytes{std::min(left.bytes.count(), part.count() - at % part.count())};
      parts.back().push_back({.memory = {.pa = left.pa, .bytes = bytes}, .offset = at});
      left = {.pa = left.pa + bytes, .bytes = left.bytes - bytes};
      at += bytes.count();
    }
  }
  return parts;
}

}  // namespace

class OrderedMove::Read final : public Transfer {
 public:
  Read(std::shared_ptr<OrderedMove> move, std::size_t part)
      : Transfer{move->origin(part, false), move->from_[part]}, move_{std::move(move)}, part_{part} {}

  [[nodiscard]] DmaRequest next_request(const DmaSite& site, Bytes bytes, Token token) const override {
    return read(site, bytes, token);
  }
  void answered(std::int64_t offset, const oplog::Slices& contents) override {
    move_->contents_.emplace(offset, contents);
  }
  void finish(const DmaSite&, Time) override { move_->write(part_); }
  [[nodiscard]] std::optional<oplog::MemoryAccess> access() const override {
    return access_of(origin(), false);
  }

 private:
  std::shared_ptr<OrderedMove> move_;
  std::size_t part_;
};

class OrderedMove::Write final : public Transfer {
 public:
  Write(std::shared_ptr<OrderedMove> move, std::size_t part)
      : Transfer{move->origin(part, true), move->to_[part]}, move_{std::move(move)} {}

  [[nodiscard]] DmaRequest next_request(const DmaSite& site, Bytes bytes, Token token) const override {
    return write(site, bytes, token);
  }
  void finish(const DmaSite& site, Time now) override { move_->written(site, now); }
  [[nodiscard]] std::optional<oplog::MemoryAccess> access() const override {
    return access_of(origin(), true);
  }

 private:
  std::shared_ptr<OrderedMove> move_;
};

OrderedMove::OrderedMove(const Units& units, const MoveBytes& what, Bytes part, std::uint32_t number,
                         std::function<void()> done)
    : units_{units},
      what_{what},
      from_{cut(memories(*units.mmu, what.from, what.shape.bytes(what.dtype)), part)},
      to_{cut(memories(*units.mmu, what.to, what.shape.bytes(what.dtype)), part)},
      number_{number},
      done_{std::move(done)},
      start_{units.sim->now()} {}

void OrderedMove::begin() {
  if (from_.empty()) return done_();
  while (read_ < std::min(from_.size(), kPartsUnderWay)) read_next();
}

// The time when the next transfer to that side may begin: a virtual address passes the MMU first.
Time OrderedMove::start_of(const MoveBytes::Side& side) const {
  if (!std::holds_alternative<std::uint64_t>(side)) return units_.sim->now();
  const Time start = units_.sim->now() + units_.mmu->latency();
  if (Causes* const causes = units_.sim->causes())
    causes->because(causes->make(start, causes->current(), why(Reason::translation, units_.unit)));
  return start;
}

void OrderedMove::read_next() {
  units_.dma->submit(start_of(what_.from), std::make_shared<Read>(shared_from_this(), read_++));
}

void OrderedMove::write(std::size_t part) {
  units_.dma->submit(start_of(what_.to), std::make_shared<Write>(shared_from_this(), part));
}

void OrderedMove::written(const DmaSite& site, Time now) {
  if (read_ < from_.size()) read_next();
  if (++written_ < from_.size()) return;
  oplog::Operand moved{.slices = {}, .shape = what_.shape, .dtype = what_.dtype};
  for (const auto& [offset, slices] : contents_) {
    for (const oplog::Slice& slice : slices) moved.slices.push_back(slice);
  }
  site.log->record({.id = what_.value,
                    .kind = oplog::OpKind::copy,
                    .dtype = what_.dtype,
                    .shape = what_.shape,
                    .unit = site.dma,
                    .start = start_,
                    .end = now,
                    .inputs = {std::move(moved)}},
                   "pe_dma");
  done_();
}

// Its transfers go after kernels' transfers of the same time.
Transfer::Origin OrderedMove::origin(std::size_t part, bool writes) const {
  const std::uint64_t step = 2 * part + (writes ? 1 : 0);
  return {.kernel = nullptr,
          .value = what_.value,
          .pending = nullptr,
          .order = {std::numeric_limits<std::uint64_t>::max() - std::numeric_limits<std::uint32_t>::max() +
                        number_,
                    step},
          .call = "pe_dma",
          .issue = units_.issue};
}

}  // namespace kbsim::hw
