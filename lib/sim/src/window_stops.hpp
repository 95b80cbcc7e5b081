#pragma once

#include <cstdint>
#include <exception>

#include "window_graph.hpp"

namespace kbsim::detail {

/// Ends a run between windows after a stop signal, or where kbsim holds more memory than the limit. Looks now
/// and then.
class WindowStops {
 public:
  explicit WindowStops(const WindowGraph& graph) : graph_{graph} {}
  WindowStops(const WindowStops&) = delete;
  WindowStops& operator=(const WindowStops&) = delete;

  void begin() { given_up_ = nullptr; }
  /// False if the run ends here, after this number of windows and of events.
  [[nodiscard]] bool may_go_on(std::uint64_t windows, std::uint64_t events);
  /// Throws the reason, if the run has ended here.
  void rethrow() const;

 private:
  void look(std::uint64_t events);

  const WindowGraph& graph_;
  std::uint64_t looked_at_ = 0;     // events at the last look
  std::int64_t memory_looked_ = 0;  // milliseconds, at the last look at the memory
  std::exception_ptr given_up_;     // the reason why all end
};

}  // namespace kbsim::detail
