#include "suite.hpp"

namespace kbsim::test {

std::vector<BackendCase> backend_cases() {
  std::vector<BackendCase> all;
  for (const auto& group : {memory_cases(), compute_cases(), word_cases(), queue_cases(), leftover_cases(),
                            fault_cases(), deadlock_cases()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

Task<> idle(TL&, BackendArgs) { co_return; }

void check_fails(const BackendOutcome& outcome, const std::vector<std::string>& says, ExitCode exit) {
  CAPTURE(outcome.error);
  CHECK(outcome.exit == exit);
  for (const std::string& part : says) {
    CHECK_MESSAGE(outcome.error.find(part) != std::string::npos, part);
  }
}

}  // namespace kbsim::test
