#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kbsim/base/bytes.hpp"

namespace kbsim {

/// The host's memory that this process holds.
[[nodiscard]] Bytes resident_memory();

/// The most that the process may hold: three quarters of the host's memory (or of its control group's),
/// unless set. It is one limit for all simulations of the process. Long allocations check it now and then, so
/// that a runaway ends with an error of kbsim's and not by the host's.
[[nodiscard]] Bytes memory_limit();
void set_memory_limit(Bytes limit);

/// Error with ExitCode::limit if the process holds more than it may; `what` names the work.
void require_memory(std::string_view what);
/// UsageError if `need` and the memory already held are more than that; `what` names the work.
void require_memory_for(Bytes need, std::string_view what);
/// The number of errors that both have thrown so far, for callers that may give more memory.
[[nodiscard]] std::uint64_t memory_refusals();

/// "1.5 GiB", rounded for people.
[[nodiscard]] std::string about(Bytes n);

}  // namespace kbsim
