#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/memory/i_plain_memory.hpp"
#include "kbsim/hw/memory/memory_messages.hpp"

#include "../i_link_claim.hpp"

namespace kbsim::hw {

struct Reservations;

/// A cut in the order of events: all before `at` has happened, and those events of the time `at` that the
/// fields name. Another packet arrives there.
struct Cut {
  Time at{};
  bool arrivals = false;          // at nodes that pass packets on
  bool lates = false;             // packets at memories and at the DMA's node
  bool sends = false;             // of the DMA
  bool answers = false;           // that the DMA receives
  const LiveLink* met = nullptr;  // at this link's node, also arrivals by ports below `port`
  std::uint32_t port = 0;
};

/// The lanes that a DMA's reads of up to a packet from a slice of its own cube pass, in this order: links of
/// the DMA and of the crossbar for the request; the slice's port; links of the slice, of the crossbar and of
/// the DMA for the data; TCM's write port. While no other packet arrives at one of them, a read's times
/// follow from those of the reads before it.
class ReadPath {
 public:
  /// The lane before which a read is, or that it is answered. `router`: the crossbar's node.
  enum class Stage : std::uint8_t { dma, router_out, memory, leaving, router_back, dma_back, tcm, answered };
  /// A read at a stage: when the first and the last byte of its packet arrive there.
  struct ReadState {
    Stage stage = Stage::dma;
    Time head{};
    Time tail{};
    Time left{};  // when the request left the DMA, or the data the memory
    Time left_tail{};
  };
  /// The lanes, and the messages that have passed them.
  struct LaneState {
    std::array<Lane, 7> lanes;
    Fabric::Passed requests;
    Fabric::Passed data;
  };

  /// False if the reads take another route, or a node, link or memory on it does more than this class models.
  [[nodiscard]] bool find(Fabric& fabric, NodeId dma, NodeId memory, NodeId tcm);
  [[nodiscard]] NodeId memory() const { return memory_; }

  /// True if no packet is on the lanes, or on its way to them.
  [[nodiscard]] bool are_free() const;
  /// Claims the links: from now on `holder` is called when another packet arrives.
  void claim(ILinkClaim& holder);
  void release();
  [[nodiscard]] LaneState state() const;
  /// Sets the lanes to this state, and counts the messages that have passed since they were claimed.
  void apply(const LaneState& state);

  /// Passes all lanes.
  void pass(LaneState& state, Bytes bytes, ReadState& read) {
    (void)advance(state, bytes, read, [](Stage, Time) { return true; });
  }
  /// Passes the lanes up to the cut.
  void pass(LaneState& state, Bytes bytes, ReadState& read, const Cut& cut);

  /// Continues the read hop by hop from where it is, as far as TCM.
  void resume(const ReadRequest& read, const ReadState& where, oplog::Slices contents);
  [[nodiscard]] std::span<LiveLink* const> links() const { return claimed_; }
  [[nodiscard]] oplog::Slices holds(std::int64_t address, Bytes bytes) const {
    return from_->holds(address, bytes);
  }

 private:
  static constexpr std::size_t kPort = 2;  // index of the slice's port
  static constexpr std::size_t kTcm = 6;
  struct Segment {
    LiveLink* link = nullptr;
    Time overhead{};
    Time wire{};
  };
  template <class Done>
  bool advance(LaneState& state, Bytes bytes, ReadState& read, Done done);
  void cross(LaneState& state, std::size_t lane, Bytes bytes, ReadState& read);
  void count_request(LaneState& state, ReadState& read);
  void count_data(LaneState& state, Bytes bytes, const ReadState& read);
  void set_data_size(Bytes bytes);
  [[nodiscard]] bool find_links();
  [[nodiscard]] Segment segment(LinkId id) const;
  [[nodiscard]] Lane& lane(std::size_t index) const;
  [[nodiscard]] bool by_lower_port(const Cut& cut, Stage stage) const;

  Fabric* fabric_ = nullptr;
  Reservations* reservations_ = nullptr;
  NodeId dma_, memory_, tcm_;
  bool found_ = false;
  IPlainMemory* from_ = nullptr;
  IPlainMemory* into_ = nullptr;
  Path* out_ = nullptr;
  Path* back_ = nullptr;
  std::array<Segment, 7> segments_;  // by lane; without those of ports
  std::array<Time, 7> service_{};    // by lane, of a request's packet or of `bytes_` data
  std::array<LiveLink*, 6> claimed_{};
  Time latency_{};
  Time tcm_latency_{};
  Bytes control_;
  Bytes bytes_;
  Time drain_{};  // of a request's packet; of the data
  Time data_drain_{};
};

}  // namespace kbsim::hw
