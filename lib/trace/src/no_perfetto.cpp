// Compiled in place of perfetto.cpp where protobuf is missing.
#include "kbsim/base/built_without.hpp"
#include "kbsim/trace/timeline.hpp"

namespace kbsim::trace {

void require_perfetto() {
  throw built_without("traces in Perfetto's format", "libprotobuf-dev and protobuf-compiler");
}

void write_perfetto(Timeline&, TimeUnit, const Sink&) { require_perfetto(); }

}  // namespace kbsim::trace
