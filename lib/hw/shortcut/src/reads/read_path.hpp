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

class Reservations;

/// An instant at which another packet arrives: all before `at` has happened, and of the time `at` the events
/// that these fields name.
struct Reached {
  Time at{};
  bool arrivals = false;          // at nodes that pass packets on
  bool lates = false;             // work of memories and of the DMA's node on packets
  bool sends = false;             // of the DMA
  bool answers = false;           // that the DMA receives
  const LiveLink* met = nullptr;  // at this link's node, also arrivals by ports below `port`
  std::uint32_t port = 0;
};

/// The lanes that a DMA's reads of up to a packet from a slice of its own cube pass, one after the other: its
/// link and the crossbar's for the request, the slice's port, the slice's link, the crossbar's and the DMA's
/// for the data, TCM's write port. While no other packet arrives at one of them, a read's times follow from
/// those of the reads before it.
class ReadLanes {
 public:
  /// Where a read is: at a lane, or answered.
  enum class Place : std::uint8_t { dma, way_out, memory, leaving, way_back, behind, tcm, answered };
  /// A read at a place: when the first and the last byte of its packet arrive there.
  struct Moving {
    Place place = Place::dma;
    Time head{};
    Time tail{};
    Time left{};  // when the request left the DMA, or the data the memory
    Time left_tail{};
  };
  /// The lanes, and the messages that have passed them.
  struct State {
    std::array<Lane, 7> lanes;
    Fabric::Passed requests;
    Fabric::Passed data;
  };

  /// False if the reads take another route, or a node, link or memory on it does more than this class models.
  [[nodiscard]] bool find(Fabric& fabric, NodeId dma, NodeId memory, NodeId tcm);
  [[nodiscard]] NodeId memory() const { return memory_; }

  /// No packet is on the lanes, or on its way to them.
  [[nodiscard]] bool are_free() const;
  /// Claims the links: from now on `holder` is called when another packet arrives.
  void hold(ILinkClaim& holder);
  void let_go();
  [[nodiscard]] State state() const;
  /// The lanes have served this since they were claimed.
  void become(const State& state);

  /// Passes all lanes.
  void pass(State& state, Bytes bytes, Moving& read) {
    (void)advance(state, bytes, read, [](Place, Time) { return true; });
  }
  /// Passes the lanes up to the instant `reached`.
  void pass(State& state, Bytes bytes, Moving& read, const Reached& reached);

  /// Continues the read hop by hop from where it is, as far as TCM.
  void resume(const ReadRequest& read, const Moving& where, oplog::Slices contents);
  [[nodiscard]] std::span<LiveLink* const> links() const { return held_; }
  [[nodiscard]] oplog::Slices holds(std::int64_t address, Bytes bytes) const {
    return from_->holds(address, bytes);
  }

 private:
  static constexpr std::size_t kPort = 2;  // index of the slice's port
  static constexpr std::size_t kTcm = 6;
  struct Way {
    LiveLink* link = nullptr;
    Time overhead{};
    Time wire{};
  };
  template <class Done>
  bool advance(State& state, Bytes bytes, Moving& read, Done done);
  void cross(State& state, std::size_t lane, Bytes bytes, Moving& read);
  void request_comes(State& state, Moving& read);
  void data_come(State& state, Bytes bytes, const Moving& read);
  void know(Bytes bytes);
  [[nodiscard]] bool finds_links();
  [[nodiscard]] Way way(LinkId id) const;
  [[nodiscard]] Lane& lane(std::size_t index) const;
  [[nodiscard]] bool by_lower_port(const Reached& reached, Place place) const;

  Fabric* fabric_ = nullptr;
  Reservations* reservations_ = nullptr;
  NodeId dma_, memory_, tcm_;
  bool found_ = false;
  IPlainMemory* from_ = nullptr;
  IPlainMemory* into_ = nullptr;
  Path* out_ = nullptr;
  Path* back_ = nullptr;
  std::array<Way, 7> ways_;        // by lane; without those of ports
  std::array<Time, 7> service_{};  // by lane, of a request's packet or of `bytes_` data
  std::array<LiveLink*, 6> held_{};
  Time latency_{};
  Time tcm_latency_{};
  Bytes control_;
  Bytes bytes_;
  Time drain_{};  // of a request's packet; of the data
  Time data_drain_{};
};

}  // namespace kbsim::hw
