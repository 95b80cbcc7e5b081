#include "kbsim/kernels/serial_worker.hpp"

namespace kbsim::collective {

void WorkerSpec::require() const {
  if (packet > Time{0} && !serial)
    throw UsageError{
        "packet_ns has no effect without serial: true, by which a PE handles one message after another"};
}

TcmBudget WorkerSpec::limited(TcmBudget budget) const {
  if (serial) budget.loads = 1;
  return budget;
}

void WorkerSpec::handled(TL& tl) const {
  if (packet > Time{0}) tl.work(packet);
}

}  // namespace kbsim::collective
