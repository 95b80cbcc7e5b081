#include "mock_signals.hpp"

#include <utility>

#include "kbsim/replay/numbers.hpp"

namespace kbsim::mock {

void Signals::wait(const SignalCommand& command, std::span<const std::byte> word, PendingPtr done) {
  Waiting waiting{.command = command, .word = word, .done = std::move(done)};
  if (!finished(waiting)) waiting_.push_back(std::move(waiting));
}

void Signals::look_again() { std::erase_if(waiting_, finished); }

bool Signals::finished(const Waiting& waiting) {
  const SignalCommand& command = waiting.command;
  if (!command.until.met(replay::to_doubles(waiting.word, command.word.dtype).front())) return false;
  waiting.done->complete(nullptr, {});
  return true;
}

}  // namespace kbsim::mock
