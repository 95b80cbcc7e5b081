#pragma once

#include <optional>
#include <string>

#include "kbsim/inputs/noc/noc_trace.hpp"

#include "objects.hpp"

namespace kbsim::inputs {

/// An event as in the file. `cycle` is its timestamp; none if it doesn't use the NOC.
struct NocRecord {
  topology::NocSpot core;
  std::string processor;
  std::string type;  // "" of a zone
  std::optional<std::int64_t> chip;
  std::optional<topology::NocEvent> event;
};

/// Reads the object that `objects` stands at. InputError with its place.
[[nodiscard]] NocRecord read_noc_event(const NocObjects& objects, const NocExtent& extent);

}  // namespace kbsim::inputs
