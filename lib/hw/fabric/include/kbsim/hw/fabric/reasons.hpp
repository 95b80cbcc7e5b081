#pragma once

#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/sim/causes.hpp"
#include "kbsim/sim/served_work.hpp"

namespace kbsim::hw {

/// Why a time of the machine follows from another. The comment on each reason names the place and the amount
/// of its moment. The length of a moment is exactly what the configuration of the place gives for the amount.
enum class Reason : std::uint16_t {
  unexplained,
  overhead,       // node
  wire,           // link
  hop,            // link: its wire, then the overhead of the node that it leads to
  serialization,  // link, bytes
  link_free,      // link: takes no time; it was held until the parent
  access,         // memory
  port,           // memory, bytes read
  write_port,     // memory, bytes written
  port_free,      // memory: as link_free
  dispatch,       // pe_cpu
  translation,    // a unit of the PE
  dma_port,       // pe_dma, bytes
  dma_pace,       // pe_dma, bytes at the rate of its TCM's read port
  engine,         // pe_gemm or pe_math, commands
  engine_free,    // likewise: as link_free
  fetch,          // pe_gemm, bytes of operands
  step,           // a unit of the PE: after everything else at this time
  credit,         // pe_ipcq, bytes beside the fabric
  // Delays of a memory that reports its own: IMemoryTiming::delay_terms() explains the amount.
  column,      // from a command to its data, and what is before it
  data_bus,    // data
  bank,        // between commands to a bank, or to banks
  turnaround,  // between reads and writes
  refresh,     // likewise
  bank_free,   // as link_free
  // Between steps of a unit: from when something is ready to when it goes on, or a delay of its own.
  refresh_wait,  // memory: until a refresh is over
  clock_edge,    // memory
  poll_wait,     // pe_ipcq: until pe_cpu looks
  poll,          // pe_ipcq, periods from when it began to look
  looks,         // pe_cpu, looks that it took
  lookahead,     // router that switches worms: part of its pipeline, where a channel ahead is given
  cycle,         // likewise: until an unmatched request is made again
  credit_delay,  // likewise: of a credit, in addition to the wire
  given,         // io_cpu of a package, or a custom component: work whose time a workload gives
  port_time,     // link: of the port's processor, which sends a packet by it (amount 0) or receives one (1)
  // The reasons below, like link_free and the other *_free above, take no time: something was ready and has
  // waited for the parent. The amount is the wait in picoseconds.
  window_free,  // pe_dma: room among its requests in flight
  slot_free,    // pe_ipcq of a sender: a free slot of its peer
  peer_sent,    // pe_ipcq of a receiver: a tile that hadn't arrived
  queue_head,   // router: the packet before it in its queue
  room_ahead,   // router: room in a queue of the next
  channel,      // router: a virtual channel of the next, which another worm had
  turn,         // router: a match of its allocator
  port_busy,    // port between chips: its processor, which sends and receives others
};
inline constexpr std::size_t kReasons = 43;

[[nodiscard]] inline Why why(Reason reason, NodeId place, Bytes amount = {}) {
  return {.reason = static_cast<std::uint16_t>(reason), .place = place.value(), .amount = amount.count()};
}
[[nodiscard]] inline Why why(Reason reason, LinkId place, Bytes amount = {}) {
  return {.reason = static_cast<std::uint16_t>(reason), .place = place.value(), .amount = amount.count()};
}

/// Key of a server among those of all reasons, for ServerOrders::comes_next().
[[nodiscard]] constexpr ServerId server(Reason reason, std::uint32_t place) {
  return {.kind = static_cast<std::uint16_t>(reason), .number = place};
}

/// If `last` is later than `ready`: a moment that gives how long `last` was waited for; else `ready`.
[[nodiscard]] Cause waited(Causes& causes, const Cause& ready, const Cause& last, Reason reason,
                           NodeId place);

/// Why a server began a piece of work, and why it ended it.
struct ServerCauses {
  Cause start;
  Cause end;
};

/// The causes of a FIFO server's work. `own` is why the work was ready; `holder`, the end of the work before
/// it, becomes its own end. Where the work had to wait, `waited` says so and takes no time.
[[nodiscard]] ServerCauses serve(Causes& causes, const Cause& own, Time start, Time end, Cause& holder,
                                 const Why& waited, Why work);

}  // namespace kbsim::hw
