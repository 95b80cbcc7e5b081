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
#include "kbsim/tl/pending_state.hpp"
#include "kbsim/topology/graph.hpp"

namespace kbsim::hw {

class KernelContext;
class PeTile;

/// The DMA that carries out a transfer, with its TCM, the graph and the log.
struct DmaSite {
  const topology::Graph* graph = nullptr;
  oplog::OpLog* log = nullptr;
  NodeId dma;  // receives write acknowledgements
  NodeId tcm;  // receives the data of reads
};

/// A request of a transfer to one memory, as its DMA sends it.
struct DmaRequest {
  enum class Answer {
    counted,    // takes room in the DMA's window until it arrives
    uncounted,  // may never arrive
    none,
  };
  NodeId to;
  MessageBody body;
  Bytes payload;       // leaves TCM with it; none: a control packet
  bool whole = false;  // the payload leaves at once, not packet by packet
  Answer answer = Answer::counted;
};

/// One transfer of a PE's DMA, a class for each kind. It gives its requests to memories one by one, and does
/// what follows when all are done. The DMA decides when each request leaves, and reports the answers.
class Transfer {
 public:
  /// The command that it carries out: recorded as `value` in the kernel's lane, seen by the kernel as
  /// `pending`.
  struct Origin {
    std::shared_ptr<KernelContext> kernel;
    oplog::ValueId value;
    PendingPtr pending;
    std::array<std::uint64_t, 2> order{};  // among transfers of one time: the kernel's, or queue and slot
    std::string_view call;                 // its name in race reports; a literal
    oplog::IssuePtr issue = nullptr;       // of the command, if races are looked for
  };
  /// Its state in its DMA.
  struct Progress {
    Time start{};
    std::uint64_t number = 0;    // among the transfers that the DMA has begun, from 1
    int unanswered = 0;          // requests
    bool atomic = false;         // as in access(), if races are looked for
    std::uint32_t reserved = 0;  // number of the reserved burst that sends the rest; 0: none
    Cause why;                   // of its begin, if causes are kept
  };

  Transfer(Origin origin, Pieces pieces) : origin_{std::move(origin)}, pieces_{std::move(pieces)} {}
  virtual ~Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  [[nodiscard]] const Origin& origin() const { return origin_; }
  [[nodiscard]] const Pieces& pieces() const { return pieces_; }
  /// For a transfer that was made without, since its addresses are data. Before it is submitted.
  void set_pieces(Pieces pieces) { pieces_ = std::move(pieces); }
  [[nodiscard]] virtual TrafficClass traffic_class() const { return TrafficClass::request; }
  /// Bytes before the next class of traffic has its turn; 0: the DMA's setting.
  [[nodiscard]] virtual Bytes vc_chunk() const { return {}; }

  /// Bytes of the next request; `largest` is the DMA's limit.
  [[nodiscard]] virtual Bytes next_bytes(Bytes largest) const {
    return std::min(pieces_[next_].memory.bytes, largest);
  }
  /// The next request, for `bytes` bytes from offset() on. Its answer has `token`.
  [[nodiscard]] virtual DmaRequest next_request(const DmaSite& site, Bytes bytes, Token token) const = 0;
  /// The request that began at `offset` is answered.
  virtual void answered(std::int64_t /*offset*/, const oplog::Slices& /*contents*/) {}
  /// All requests are answered, or have left if they get no answer: records the transfer and resumes its
  /// kernel.
  virtual void finish(const DmaSite& site, Time now) = 0;
  /// Its access for the race check; none for slots, which credits order.
  [[nodiscard]] virtual std::optional<oplog::MemoryAccess> access() const = 0;

  /// Each request reads a part of pieces(), one after the other; an answer causes no further request.
  [[nodiscard]] virtual bool only_reads() const { return false; }
  /// The piece to be asked for or sent next, perhaps in part.
  [[nodiscard]] std::size_t next_index() const { return next_; }

  /// Where the next request begins, in the tile.
  [[nodiscard]] std::int64_t offset() const { return pieces_[next_].offset; }
  /// The next `n` bytes are asked for, or have left.
  void advance(Bytes n);
  [[nodiscard]] bool all_sent() const { return next_ == pieces_.size(); }
  /// All are sent when `n` more bytes, of the present piece, have left.
  [[nodiscard]] bool ends_within(Bytes n) const {
    return next_ + 1 == pieces_.size() && pieces_[next_].memory.bytes <= n;
  }

  Progress progress;

 protected:
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
