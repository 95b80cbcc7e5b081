#pragma once

#include <utility>
#include <vector>

#include "kbsim/hw/memory/memory_messages.hpp"
#include "kbsim/oplog/evaluator.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/oplog/log_memory.hpp"

namespace kbsim::hw {

/// Waits for a word of a memory until it meets a condition. A wait costs nothing; its word is looked at when
/// the wait comes and after each atomic that touches it.
class WatchedWords {
 public:
  explicit WatchedWords(const oplog::MemoryImage& image) : image_{image} {}

  /// Values of words come from here.
  void read_with(const oplog::OpLog& log, const oplog::Evaluator& evaluator) {
    log_ = &log;
    evaluator_ = &evaluator;
  }
  [[nodiscard]] bool met(const SignalRequest& request) const;
  void add(const SignalRequest& request) { waiting_.push_back(request); }
  /// An atomic has left its result in these bytes: calls `answer` with each wait that is met now, and drops
  /// it.
  template <class Answer>
  void look_again(std::int64_t address, Bytes changed, const Answer& answer) {
    std::erase_if(waiting_, [&](const SignalRequest& request) {
      const ReadRequest& word = request.word;
      const bool touched =
          word.address < address + changed.count() && address < word.address + word.bytes.count();
      if (!touched || !met(request)) return false;
      answer(request);
      return true;
    });
  }

 private:
  const oplog::MemoryImage& image_;
  const oplog::OpLog* log_ = nullptr;
  const oplog::Evaluator* evaluator_ = nullptr;
  std::vector<SignalRequest> waiting_;  // in order of arrival
};

}  // namespace kbsim::hw
