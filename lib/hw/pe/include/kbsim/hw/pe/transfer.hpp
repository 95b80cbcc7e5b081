#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kbsim/hw/memory/memory_messages.hpp"
#include "kbsim/hw/piece.hpp"
#include "kbsim/hw/race_watch.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/tl/pending.hpp"
#include "kbsim/topology/graph.hpp"

namespace kbsim::hw {

class KernelContext;
class PeTile;

/// What a transfer needs to know of the DMA that carries it out.
struct DmaSite {
  const topology::Graph* graph = nullptr;
  oplog::OpLog* log = nullptr;
  NodeId dma;  // hears that writes are served
  NodeId tcm;  // takes the data that reads ask for
};

/// A request of a transfer to one memory, as its DMA sends it.
struct DmaRequest {
  enum class Answer {
    counted,    // of the DMA's window until it comes
    uncounted,  // may take for ever
    none,
  };
  NodeId to;
  MessageBody body;
  Bytes payload;       // leaves TCM with it; none: a control packet
  bool whole = false;  // the payload leaves at once, not packet by packet
  Answer answer = Answer::counted;
};

/// One transfer of a PE's DMA, a class for each kind. It says what it asks of memories, request by request,
/// and what follows when all of it is done. The DMA decides when each request leaves, and says what comes
/// back.
class Transfer {
 public:
  /// The command that it carries out: recorded as `value` in the kernel's lane, seen by the kernel as
  /// `pending`.
  struct Origin {
    std::shared_ptr<KernelContext> kernel;
    oplog::ValueId value;
    PendingPtr pending;
    std::array<std::uint64_t, 2> order{};  // among those of one time: of the kernel, or queue and slot
    std::string_view call;                 // as races name it; a literal
    oplog::IssuePtr issue = nullptr;       // the command, if somebody looks for races
  };
  /// What its DMA keeps of it.
  struct Progress {
    Time start{};
    std::uint64_t number = 0;  // how many transfers the DMA had begun then
    int unanswered = 0;        // requests
    bool atomic = false;       // what races are told of it
    std::uint32_t told = 0;    // the DMA knows ahead when all of it has left: by which run
    Cause why;                 // it has begun, if causes are kept
  };

  Transfer(Origin origin, Pieces pieces) : origin_{std::move(origin)}, pieces_{std::move(pieces)} {}
  virtual ~Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  [[nodiscard]] const Origin& origin() const { return origin_; }
  [[nodiscard]] const Pieces& pieces() const { return pieces_; }
  [[nodiscard]] virtual TrafficClass traffic_class() const { return TrafficClass::request; }
  /// Bytes before the next class of traffic has its turn; none: as the DMA says.
  [[nodiscard]] virtual Bytes vc_chunk() const { return {}; }

  /// Bytes of the next request, of which the DMA wants at most `largest`.
  [[nodiscard]] virtual Bytes next_bytes(Bytes largest) const {
    return std::min(pieces_[next_].memory.bytes, largest);
  }
  /// The next request, for so many bytes from offset() on. Its answer names `token`.
  [[nodiscard]] virtual DmaRequest next_request(const DmaSite& site, Bytes bytes, Token token) const = 0;
  /// The request that began at `offset` is answered.
  virtual void answered(std::int64_t /*offset*/, const oplog::Slices& /*contents*/) {}
  /// All requests are answered, or have left if nobody answers: records it and lets its kernel go on.
  virtual void finish(const DmaSite& site, Time now) = 0;
  /// What races are told of it; nothing of slots, which credits order.
  [[nodiscard]] virtual std::optional<oplog::MemoryAccess> access() const = 0;

  /// Each request reads a part of pieces(), one after the other, and its answer asks for nothing more.
  [[nodiscard]] virtual bool only_reads() const { return false; }
  /// The piece to be asked for or sent next, perhaps in part.
  [[nodiscard]] std::size_t next_index() const { return next_; }

  /// Where the next request begins, in the tile.
  [[nodiscard]] std::int64_t offset() const { return pieces_[next_].offset; }
  /// The next `n` bytes are asked for, or have left.
  void advance(Bytes n);
  [[nodiscard]] bool all_sent() const { return next_ == pieces_.size(); }
  /// They will be when that many more, of the present piece, have left.
  [[nodiscard]] bool ends_within(Bytes n) const {
    return next_ + 1 == pieces_.size() && pieces_[next_].memory.bytes <= n;
  }

  Progress progress;

 protected:
  void set_pieces(Pieces pieces) { pieces_ = std::move(pieces); }
  [[nodiscard]] const Piece& next_piece() const { return pieces_[next_]; }
  /// A request to read, or to write bytes of `value`.
  [[nodiscard]] DmaRequest read(const DmaSite& site, Bytes bytes, Token token) const;
  [[nodiscard]] DmaRequest write(const DmaSite& site, Bytes bytes, Token token) const;
  /// The access of a load or store, at the kernel's line.
  [[nodiscard]] oplog::MemoryAccess accesses(bool write) const;
  /// Records that `moved` was copied, until now.
  void record(const DmaSite& site, Time now, const PeTile& moved) const;
  void record(const DmaSite& site, Time now, oplog::Operand moved) const;

 private:
  Origin origin_;
  Pieces pieces_;
  std::size_t next_ = 0;  // piece to be asked for or sent, perhaps in part
};
using TransferPtr = std::shared_ptr<Transfer>;

}  // namespace kbsim::hw
