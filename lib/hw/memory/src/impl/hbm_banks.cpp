#include "kbsim/hw/memory/hbm_banks.hpp"

#include <algorithm>

#include "kbsim/hw/memory/hbm_controller.hpp"
#include "kbsim/hw/memory/i_memory_scheduler.hpp"

namespace kbsim::hw {
namespace {

// A resolved configuration lists the defaults of all attributes, too.
bool says_more_than_default(const Field& field, const ComponentSpec& model) {
  const auto given = model.attrs.find(field.name);
  if (given == model.attrs.end()) return false;
  HbmControllerSpec spec;
  const Scalar usual = field.get(&spec);
  field.set(&spec, given->second);
  return field.get(&spec) != usual;
}

// ConfigError for attributes of a controller that isn't there.
void refuse_unused(const MemorySite& site, const std::string& scheduler) {
  std::vector<ConfigProblem> problems;
  for (const Field& field : fields_of<HbmControllerSpec>()) {
    if (!says_more_than_default(field, *site.node.model)) continue;
    problems.push_back({.at = site.node.model->place_of({field.name}),
                        .key = site.node.name + "." + field.name,
                        .text = "has no effect with scheduler: " + scheduler + ", only with fr_fcfs"});
  }
  if (!problems.empty()) throw ConfigError{std::move(problems)};
}

const HbmBanksSpec& checked(const MemorySite& site, const MemoryAttributes<HbmBanksSpec>& spec) {
  if (memory_scheduler_named(spec.scheduler, site.node)->orders_commands()) {
    check(spec, *site.node.model, site.node.name);
  } else {
    refuse_unused(site, spec.scheduler);
    check(static_cast<const HbmSpec&>(spec), *site.node.model, site.node.name);
  }
  return spec;
}

}  // namespace

KBSIM_MEMORY("builtin.hbm_banks", NodeKind::hbm_ctrl, HbmBanks, HbmBanksSpec,
             "HBM slice with pseudo-channels, banks, row buffers and refresh");

HbmBanks::HbmBanks(const MemorySite& site, const MemoryAttributes<HbmBanksSpec>& spec)
    : spec_{checked(site, spec)}, timing_{spec, site.link}, bus_{site.link} {}

std::unique_ptr<IMemoryController> HbmBanks::controller() const {
  return std::make_unique<HbmController>(spec_, bus_.rate());
}

MemoryPort HbmBanks::port(bool write) const {
  return {
      .latency = spec_.controller + timing_.latency(write), .rate = bus_.rate(), .opening = spec_.rcd(write)};
}

Lane::Slot HbmBanks::serve(const MemoryRequest& request) {
  const bool write = request.op != MemoryOp::read;
  const HbmTiming::Slot slot = timing_.serve(request.address, request.bytes, write, ready(request));
  note(request, slot.start);
  if (write) return {.start = slot.start, .end = slot.end};
  // The bytes of a packet leave in one stretch at the full rate; the last byte leaves when it is served.
  return {.start = std::max(slot.start, slot.end - bus_.rate().serialization(request.bytes)),
          .end = slot.end};
}

void HbmBanks::note(const MemoryRequest& request, Time start) {
  const bool write = request.op != MemoryOp::read;
  const Time latency = request.op == MemoryOp::write_back ? Time{0} : port(write).latency;
  bus_.note(request.bytes, request.tail + latency, start);
}

bool HbmBanks::keep_causes(Causes& causes, NodeId memory) {
  const CausedTimes times{causes, memory};
  caused_.emplace(Caused{.times = times, .timing = {spec_, bus_.rate(), times}});
  return true;
}

ServerCauses HbmBanks::serve_because(const MemoryRequest& request, const Cause& /*head*/, const Cause& tail) {
  const CausedTimes& times = caused_->times;
  const bool write = request.op != MemoryOp::read;
  const CausedTimes::At whole{request.tail, tail};
  const CausedTimes::At ready =
      times.keep(times.after(whole, this->ready(request) - request.tail, why(HbmDelay::controller)));
  const HbmTimingOf<CausedTimes>::Slot slot =
      caused_->timing.serve(request.address, request.bytes, write, ready);
  note(request, times.time(slot.start));
  const Cause end = times.cause(slot.end);
  if (write) return {.start = times.cause(slot.start), .end = end};
  const CausedTimes::At together = times.back(slot.end, bus_.rate().serialization(request.bytes),
                                              why(HbmDelay::packet, request.bytes.count()));
  return {.start = times.cause(times.latest({slot.start, together})), .end = end};
}

Time HbmBanks::first_byte(const MemoryRequest& request) const {
  return timing_.first_byte(request.address, request.bytes, request.op != MemoryOp::read, ready(request));
}

// When its commands have passed the controller; those of a write_back are in it already.
Time HbmBanks::ready(const MemoryRequest& request) const {
  return request.op == MemoryOp::write_back ? request.tail : request.tail + spec_.controller;
}

}  // namespace kbsim::hw
