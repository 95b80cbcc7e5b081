// One-sided transfers: with nobody between the data and its signal.
#include "pe.hpp"

namespace kbsim::mock {

PendingPtr Pe::put(const PutCommand& command) {
  const TileState& tile = *command.tile;
  (void)memory(command.to.va, tile.shape().bytes(tile.dtype()), "put", command.at);
  const Ptr word = command.signal.to;
  (void)memory(word.va, Bytes{itemsize(word.dtype)}, "signal of put", command.at);
  (void)store(command.to, command.tile, command.at);
  (void)atomic(command.signal);
  return done("put", nullptr, command.at);
}

PendingPtr Pe::wait_signal(const SignalCommand& command) {
  const Bytes size{itemsize(command.word.dtype)};
  const std::span<const std::byte> word = memory(command.word.va, size, "wait_signal", command.at);
  PendingPtr state = pending(SignalWait{.va = command.word.va, .until = command.until}, command.at);
  around_.signals.wait(command, word, state);
  return state;
}

}  // namespace kbsim::mock
