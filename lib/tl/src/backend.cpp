#include "kbsim/tl/backend.hpp"

namespace kbsim {

void PeBackend::awaited(const PendingState& /*pending*/, Time done) { observe(done); }

}  // namespace kbsim
