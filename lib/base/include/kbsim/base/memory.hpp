#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kbsim/base/bytes.hpp"

namespace kbsim {

/// What this process holds of the host's memory.
[[nodiscard]] Bytes resident_memory();

/// What the process may hold: three quarters of the host's memory (or of its control group's), unless set.
/// It is one for all simulations of the process. Whoever allocates for long asks now and then, so that a
/// runaway ends with an error of ours and not by the host's.
[[nodiscard]] Bytes memory_limit();
void set_memory_limit(Bytes limit);

/// Error with ExitCode::limit if the process holds more than it may; `what` is doing so.
void require_memory(std::string_view what);
/// UsageError if `need`, together with what it holds already, will be more; `what` will need it.
void require_memory_for(Bytes need, std::string_view what);
/// How often either has thrown so far: whoever may give more memory asks.
[[nodiscard]] std::uint64_t memory_refusals();

/// "1.5 GiB", rounded for people.
[[nodiscard]] std::string about(Bytes n);

}  // namespace kbsim
