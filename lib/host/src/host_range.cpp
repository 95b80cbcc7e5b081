#include "kbsim/host/host_range.hpp"

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/i_spans.hpp"

namespace kbsim::host {

HostRange::HostRange(Session& session, int rank, std::string_view name, std::source_location at)
    : session_{session} {
  if (hw::ISpans* const spans = session_.machine().fabric().spans())
    spans->open(
        this,
        {.kind = hw::SpanKind::range, .rank = rank, .what = name, .at = at, .start = session_.sim().now()});
}

HostRange::~HostRange() {
  if (hw::ISpans* const spans = session_.machine().fabric().spans()) spans->close(this, session_.sim().now());
}

}  // namespace kbsim::host
