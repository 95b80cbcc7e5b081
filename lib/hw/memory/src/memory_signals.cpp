// Waits for a word of a memory until it meets a condition.
#include <algorithm>

#include "kbsim/hw/memory/memory.hpp"

namespace kbsim::hw {

void Memory::watch(const SignalRequest& request) {
  if (met(request)) return answer(request);
  watched_.push_back(request);
}

// An atomic has left its result in these bytes.
void Memory::look_again(std::int64_t address, Bytes changed) {
  std::erase_if(watched_, [&](const SignalRequest& request) {
    const ReadRequest& word = request.word;
    const bool touched =
        word.address < address + changed.count() && address < word.address + word.bytes.count();
    if (!touched || !met(request)) return false;
    answer(request);
    return true;
  });
}

// A stored value is known when its PE knows that the store is done.
bool Memory::met(const SignalRequest& request) const {
  const oplog::Operand word{.slices = image_.read(request.word.address, request.word.bytes.count()),
                            .shape = Shape{1},
                            .dtype = request.dtype};
  const bool known = std::ranges::all_of(word.slices, [this](const oplog::Slice& slice) {
    return !slice.value.valid() || log_->find(slice.value) != nullptr;
  });
  return known && request.until.met((*evaluator_)(word).front());
}

}  // namespace kbsim::hw
