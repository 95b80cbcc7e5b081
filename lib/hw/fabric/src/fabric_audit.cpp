// The physics audit: laws that hold in every run once nothing is under way.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/fabric.hpp"

#include "shared_places.hpp"

namespace kbsim::hw {
namespace {

void audit_link(const Fabric& fabric, LinkId id, const LiveLink& link, Bytes delivered) {
  const Time now = fabric.sim().now();
  const auto holds = [&](bool law, std::string_view what) {
    if (law) return;
    throw InternalError{fmt::format("physics audit: {} on link {}", what, fabric.graph().link_name(id))};
  };
  holds(link.lane.bytes() == delivered, "bytes in and out differ");
  holds(link.lane.busy() <= now && link.lane.free() <= now, "utilisation over 1");
  holds(!link.credits() || link.credits()->whole(), "credits were lost");
  holds(link.slots() == nullptr || link.slots()->whole(), "slots were lost");
}

void audit_unit(const Component& component, Time now) {
  for (const UnitUse& use : component.use()) {
    if (use.busy <= now) continue;
    throw InternalError{
        fmt::format("physics audit: utilisation over 1 of {} {}", component.name(), use.port.text())};
  }
}

Time spent_at(const Fabric& fabric, const std::vector<LiveLink>& links) {
  Time spent{};
  for (const LiveLink& link : links) {
    spent += link.lane.waited() +
             link.lane.packets() * (fabric.component(link.from).steady_overhead() + link.wire);
    if (link.rare != nullptr) spent += link.rare->stored;
  }
  return spent;
}

}  // namespace

void Fabric::audit() const {
  const std::vector<LiveLink>& all = links();
  std::int64_t opened = 0;
  Time under_way{};
  for (const Fabric* fabric : places_->fabrics) {
    opened += fabric->counts_.opened;
    under_way += fabric->counts_.under_way;
  }
  ensure(opened == attribution().messages, "physics audit: messages were sent that never arrived");
  // The delivered bytes take memory, and each part takes a walk over all paths.
  constexpr std::uint32_t kAtOnce = 1U << 18U;
  for (std::uint32_t first = 0; first < all.size(); first += kAtOnce) {
    std::vector<Bytes> delivered(std::min(kAtOnce, static_cast<std::uint32_t>(all.size()) - first));
    for (const Fabric* fabric : places_->fabrics) fabric->add_delivered(first, delivered);
    for (std::uint32_t i = 0; i < delivered.size(); ++i)
      audit_link(*this, LinkId{first + i}, all[first + i], delivered[i]);
  }
  for (const Component* component : components_) {
    component->require_steady_overhead();
    audit_unit(*component, sim_.now());
  }
  const Time spent = spent_at(*this, all);
  ensure(under_way == spent, [&] {
    return fmt::format("physics audit: Little's law: packets were under way for {}, nodes and links took {}",
                       to_string(under_way), to_string(spent));
  });
}

}  // namespace kbsim::hw
