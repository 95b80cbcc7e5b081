#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/replay/numbers.hpp"
#include "kbsim/tl/pending.hpp"

namespace kbsim::mock {

class Pe;
using Value = std::shared_ptr<const replay::Buffer>;

/// A tile on its way, and its send.
struct Sent {
  Value value;
  Shape shape;
  DType dtype;
  int tag;
  PendingPtr pending;
};

struct Asked {
  Pe* by;
  Shape shape;
  DType dtype;
  int tag;
  PendingPtr pending;
};

/// What one PE sends to another along one direction: a FIFO. A send is done when it has a slot; a slot is
/// free again when its tile and all earlier ones have been let go.
class Queue {
 public:
  Queue(PeCoord from, std::string out, PeCoord to, std::string in, std::optional<int> slots)
      : from_{from}, out_{std::move(out)}, to_{to}, in_{std::move(in)}, slots_{slots} {}

  void send(Sent tile);
  void receive(Asked tile);
  /// The tile of this number, counted from 0, is let go.
  void release(std::uint64_t number);

  /// "sip0.cube0.pe1 W from sip0.cube0.pe0: 1 recv waits", a line, or "" if nobody waits.
  [[nodiscard]] std::string waiting() const;

 private:
  void move();
  void deliver(const Sent& sent, const Asked& asked);
  [[nodiscard]] bool has_room() const;

  PeCoord from_;
  std::string out_;  // the sender's name of it
  PeCoord to_;
  std::string in_;  // the receiver's
  std::optional<int> slots_;
  std::deque<Sent> sends_;  // without a slot
  std::deque<Sent> tiles_;  // in slots, not yet received
  std::deque<Asked> receives_;
  std::uint64_t received_ = 0;
  std::uint64_t free_ = 0;   // all tiles before this number are let go
  std::deque<bool> let_go_;  // of the received ones from there on
};

}  // namespace kbsim::mock
