#pragma once

#include <source_location>

#include <boost/asio/async_result.hpp>

#include "kbsim/sim/detail/asio_await.hpp"

namespace kbsim {

/// The completion token of an Asio operation that a Task awaits: `n = co_await
/// channel.async_receive(in_task())`. The Task goes on when the operation completes; a non-zero error_code is
/// thrown as a system_error, as_tuple() gives it. A Task that is cancelled cancels the operation. Its channel
/// or timer must outlive the wait; Simulation::clear() ends all waits. `what`, a literal, is what reports of
/// deadlocks say the process waits for.
[[nodiscard]] constexpr detail::InTask in_task(const char* what = "an Asio operation",
                                               std::source_location at = std::source_location::current()) {
  return {.what = what, .at = at};
}

}  // namespace kbsim

template <class... Results>
class boost::asio::async_result<kbsim::detail::InTask, void(Results...)>
    : public kbsim::detail::AsioInitiation<Results...> {};
