#pragma once

#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/memory/memory_messages.hpp"
#include "kbsim/oplog/evaluator.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/oplog/memory.hpp"

namespace kbsim::hw {

/// A memory behind the fabric: packets pass a port of some rate, `access` pipelined before it.
/// A read's data leaves as packets while it is served; a write is acknowledged, and a slot write told to
/// its receiver, when the last byte is served. An atomic is a read and then a write of the same bytes.
/// What is read is what the memory holds when its turn comes: requests have theirs in order of arrival. One
/// for a signal waits, at no cost, until its word is as asked for or an atomic makes it so.
class Memory : public Component {
 public:
  Memory(Fabric& fabric, NodeId id, Time access, Bandwidth read_rate, Bandwidth write_rate, bool one_port);

  void start(Machine& machine) override;

  /// Serves a read from beside the memory (its own PE's DMA): when the bytes pass the port.
  Lane::Slot read_port(Time at, Bytes n) { return reader().reserve(at + access_, at + access_, n); }
  /// Of an access that finds nobody else: from its arrival to its first byte.
  [[nodiscard]] virtual Time latency(bool /*write*/) const { return access_; }
  [[nodiscard]] std::vector<UnitUse> use() const override;
  [[nodiscard]] bool takes_heads() const override { return true; }
  [[nodiscard]] Bandwidth read_rate() const { return read_lane_.rate(); }
  [[nodiscard]] Bandwidth write_rate() const { return one_port_ ? read_lane_.rate() : write_lane_.rate(); }
  [[nodiscard]] Time pace(Bytes n) const { return read_lane_.rate().serialization(n); }

  [[nodiscard]] oplog::MemoryImage& image() { return image_; }

 protected:
  void accept(Packet& packet) override;

  /// When these bytes, asked for now, pass the port.
  virtual Lane::Slot serve_read(std::int64_t address, Bytes n);
  /// When a packet to be written does. Both are called in the order of service.
  virtual Lane::Slot serve_write(const Packet& packet);
  /// When these bytes, just read, pass it again from `ready` on, to be written.
  virtual Lane::Slot serve_update(std::int64_t address, Bytes n, Time ready);
  /// For those who serve by other rules than a lane's: what they did, in the port's account.
  void note_service(Bytes n, Time ready, Time start) { read_lane_.note(n, ready, start); }

  /// A message that is data for this memory has been served, at this time.
  virtual void finished(MessagePtr message);

 private:
  [[nodiscard]] Lane& reader() { return read_lane_; }
  [[nodiscard]] Lane& writer() { return one_port_ ? read_lane_ : write_lane_; }
  void answer(const ReadRequest& read);
  void perform(const AtomicRequest& request);
  void watch(const SignalRequest& request);
  void look_again(std::int64_t address, Bytes changed);
  [[nodiscard]] bool met(const SignalRequest& request) const;
  void keep(const Message& message);
  Task<> finish_writes();

  Time access_;
  Lane read_lane_;
  Lane write_lane_;
  bool one_port_;
  oplog::MemoryImage image_;
  Mailbox<Message*> served_;
  oplog::OpLog* log_ = nullptr;
  const oplog::Evaluator* evaluator_ = nullptr;
  std::vector<SignalRequest> watched_;  // words that aren't yet as asked for, in order of arrival
};

}  // namespace kbsim::hw
