#include "kbsim/hw/memory/hbm_banks.hpp"

#include <algorithm>

namespace kbsim::hw {
namespace {

const HbmSpec& checked(const MemorySite& site, const HbmSpec& spec) {
  check(spec, site.node.model->at, site.node.name);
  return spec;
}

}  // namespace

KBSIM_MEMORY("builtin.hbm_banks", NodeKind::hbm_ctrl, HbmBanks, HbmSpec,
             "HBM slice with pseudo-channels, banks, row buffers and refresh");

HbmBanks::HbmBanks(const MemorySite& site, const HbmSpec& spec)
    : controller_{spec.controller}, timing_{checked(site, spec), site.link}, bus_{site.link} {}

MemoryPort HbmBanks::port(bool write) const {
  return {.latency = controller_ + timing_.latency(write), .rate = bus_.rate()};
}

Lane::Slot HbmBanks::serve(const MemoryRequest& request) {
  const bool write = request.op != MemoryOp::read;
  const Lane::Slot slot = timing_.serve(request.address, request.bytes, write, ready(request));
  const Time latency = request.op == MemoryOp::write_back ? Time{0} : port(write).latency;
  bus_.note(request.bytes, request.tail + latency, slot.start);
  if (write) return slot;
  // The bytes of a packet leave together, the last as it is served.
  return {.start = std::max(slot.start, slot.end - bus_.rate().serialization(request.bytes)),
          .end = slot.end};
}

Time HbmBanks::first_byte(const MemoryRequest& request) const {
  return timing_.first_byte(request.address, request.bytes, request.op != MemoryOp::read, ready(request));
}

// When its commands have passed the controller; those of a write_back are in it already.
Time HbmBanks::ready(const MemoryRequest& request) const {
  return request.op == MemoryOp::write_back ? request.tail : request.tail + controller_;
}

}  // namespace kbsim::hw
