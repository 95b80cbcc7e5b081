#include "kbsim/tl/backend.hpp"

#include "kbsim/tl/pending_state.hpp"

namespace kbsim {

void PeBackend::awaited(const PendingState& /*pending*/, Time done) { observe(done); }

}  // namespace kbsim
