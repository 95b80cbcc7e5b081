#include "kbsim/hw/memory/watched_words.hpp"

#include <algorithm>

namespace kbsim::hw {

// A stored value is known when its PE knows that the store is done.
bool WatchedWords::met(const SignalRequest& request) const {
  const oplog::Operand word{.slices = image_.read(request.word.address, request.word.bytes.count()),
                            .shape = Shape{1},
                            .dtype = request.dtype};
  const bool known = std::ranges::all_of(word.slices, [this](const oplog::Slice& slice) {
    return !slice.value.valid() || log_->find(slice.value) != nullptr;
  });
  return known && request.until.met((*evaluator_)(word).front());
}

}  // namespace kbsim::hw
