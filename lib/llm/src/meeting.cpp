#include "kbsim/llm/meeting.hpp"

namespace kbsim::inference {

Task<> Meeting::join(std::function<void()> last) {
  const std::shared_ptr<Event> gate = gate_;
  if (++arrived_ < ranks_) {
    co_await gate->wait();
    co_return;
  }
  arrived_ = 0;
  gate_ = fresh();
  if (last) last();
  gate->set();
}

}  // namespace kbsim::inference
