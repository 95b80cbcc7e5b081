// Synthetic accesses to a memory alone: a fixed number outstanding, or random arrivals.
#include "kbsim/hw/traffic/memory_traffic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/base/process_memory.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/hw/memory/i_memory_controller.hpp"
#include "kbsim/hw/memory/i_memory_scheduler.hpp"
#include "kbsim/hw/memory/memory_model.hpp"

#include "memory_accesses.hpp"

namespace kbsim::hw {
namespace {

constexpr std::array<std::string_view, 4> kMemoryPatterns{"stream", "random", "one-bank", "banks"};

// This memory's values of the attributes of builtin.hbm_banks.
HbmBanksSpec banks_of(const topology::Node& slice) { return spec_from<HbmBanksSpec>(slice.model->attrs); }

std::unique_ptr<IMemoryScheduler> scheduler_of(const topology::Node& slice) {
  const auto given = slice.model->attrs.find("scheduler");
  return memory_scheduler_named(
      given == slice.model->attrs.end() ? "in_order" : std::get<std::string>(given->second), slice);
}

class MemoryRun {
 public:
  MemoryRun(const MemorySite& site, Bytes slice, const MemoryTrafficRequest& request)
      : request_{request},
        site_{site},
        timing_{memory_models().at(site.node.model->impl)(site)},
        controller_{controller_of()},
        accesses_{request, slice, banks_of(site.node)},
        left_{(request.total.count() + request.access.count() - 1) / request.access.count()},
        arrivals_{request.seed, 1} {
    result_.raw = site.link;
  }

  MemoryTrafficResult run() {
    if (request_.load) {
      arrive_later(Time{0});
    } else {
      for (std::int64_t i = 0; i < outstanding(); ++i) due_.push(Time{0});
    }
    for (std::uint64_t steps = 0; !due_.empty() || !waiting_.empty(); ++steps) {
      look(steps);
      step();
    }
    return sorted();
  }

 private:
  struct Waiting {
    Time since{};
    bool write = false;
  };

  MemoryTrafficResult sorted() {
    std::ranges::sort(result_.reads);
    std::ranges::sort(result_.writes);
    return std::move(result_);
  }

  std::shared_ptr<const MemoryTrafficResult> so_far() {
    return result_.bytes == 0_B ? nullptr : std::make_shared<MemoryTrafficResult>(sorted());
  }

  // Checks at intervals for a signal and for the limit of memory.
  void look(std::uint64_t steps) {
    constexpr std::uint64_t kLooks = 1024;
    constexpr std::uint64_t kLooksAtMemory = 64 * kLooks;
    if (steps % kLooks != 0) return;
    if (stop_signal() != 0)
      throw MemoryTrafficInterrupted{fmt::format("interrupted after {}, {} under way",
                                                 counted(asked_, "access", "accesses"), waiting_.size()),
                                     so_far()};
    report_simulated(result_.simulated, asked_);
    if (steps % kLooksAtMemory == 0) require_memory("kbsim traffic --scope hbm");
  }

  std::unique_ptr<IMemoryController> controller_of() const {
    const std::unique_ptr<IMemoryScheduler> scheduler = scheduler_of(site_.node);
    std::unique_ptr<IMemoryController> controller;
    if (scheduler->orders_commands()) controller = timing_->controller();
    const bool as_they_arrive =
        !scheduler->orders_commands() && scheduler->window() == IMemoryScheduler::kUnlimited;
    if (!as_they_arrive && controller == nullptr)
      throw UsageError{fmt::format(
          "scheduler {} of {} can't be driven without a machine: expected in_order, or fr_fcfs of a memory "
          "with banks",
          std::get<std::string>(site_.node.model->attrs.at("scheduler")), site_.node.model->impl)};
    return controller;
  }
  // By default, twice the number that the queues hold.
  [[nodiscard]] std::int64_t outstanding() const {
    if (request_.outstanding > 0) return request_.outstanding;
    const HbmBanksSpec spec = banks_of(site_.node);
    const std::int64_t bursts =
        2 * (spec.read_queue + spec.write_queue) * (spec.pseudo_channels / spec.channel_pcs);
    return std::max<std::int64_t>(1, bursts * spec.burst.count() / request_.access.count());
  }
  void arrive_later(Time now) {
    constexpr double kTooLong = 9e18;
    const double service = static_cast<double>(site_.link.serialization(request_.access).count());
    const double gap = arrivals_.exponential() * service / *request_.load;
    if (gap + static_cast<double>(now.count()) > kTooLong)
      throw UsageError{"so few accesses a time last longer than simulated time"};
    due_.push(now + Time{std::llround(gap)});
  }

  void step() {
    Time now = due_.empty() ? kForever : due_.top();
    if (controller_ != nullptr) {
      now = std::min(now, controller_->next());
      served_.clear();
      controller_->advance(now, served_);
      for (const IMemoryController::Served& served : served_) finish(served.id, served.slot);
    }
    while (!due_.empty() && due_.top() <= now) {
      due_.pop();
      if (left_ > 0) access(now);
    }
  }

  void access(Time now) {
    --left_;
    const MemoryAccesses::Access next = accesses_.next();
    const std::uint64_t id = asked_++;
    waiting_.emplace(id, Waiting{.since = now, .write = next.write});
    const MemoryRequest request{.op = next.write ? MemoryOp::write : MemoryOp::read,
                                .address = next.address,
                                .bytes = request_.access,
                                .head = now,
                                .tail = now};
    if (controller_ != nullptr) {
      controller_->push(id, request);
    } else {
      finish(id, timing_->serve(request));
    }
    if (request_.load) arrive_later(now);
  }

  void finish(std::uint64_t id, Lane::Slot slot) {
    const Waiting done = waiting_.extract(id).mapped();
    (done.write ? result_.writes : result_.reads).push_back(slot.end - done.since);
    result_.bytes += request_.access;
    result_.simulated = std::max(result_.simulated, slot.end);
    result_.digest.add(id).add(slot.start.count()).add(slot.end.count());
    if (!request_.load) due_.push(slot.end);
  }

  const MemoryTrafficRequest& request_;
  MemorySite site_;
  std::unique_ptr<IMemoryTiming> timing_;
  std::unique_ptr<IMemoryController> controller_;  // null: served as they arrive
  MemoryAccesses accesses_;
  std::int64_t left_;
  Random arrivals_;
  std::uint64_t asked_ = 0;
  std::priority_queue<Time, std::vector<Time>, std::greater<>> due_;  // when accesses arrive
  std::unordered_map<std::uint64_t, Waiting> waiting_;
  std::vector<IMemoryController::Served> served_;
  MemoryTrafficResult result_;
};

void check(const MemoryTrafficRequest& request, const topology::Node& slice, Bytes size) {
  const auto expect = [](bool holds, const std::string& text) {
    if (!holds) throw UsageError{text};
  };
  expect(request.read_share >= 0.0 && request.read_share <= 1.0,
         fmt::format("--read-share {}: expected from 0 to 1", request.read_share));
  expect(
      request.access >= 1_B && request.access <= size,
      fmt::format("--access {}: expected from 1 to {} bytes, a slice", request.access.count(), size.count()));
  expect(!request.load || (*request.load > 0.0 && *request.load <= 1.0),
         fmt::format("--load {}: expected a share of the raw bandwidth, above 0 and at most 1",
                     request.load.value_or(0.0)));
  expect(request.outstanding >= 0 && request.outstanding <= kMostAccesses,
         fmt::format("--outstanding {}: expected from 0 to {}", request.outstanding, kMostAccesses));
  expect(
      request.total >= 1_B && request.total.count() / request.access.count() < kMostAccesses,
      fmt::format("--total {}: expected from 1 byte to {} accesses", request.total.count(), kMostAccesses));
  const bool needs_banks =
      request.pattern == MemoryPattern::one_bank || request.pattern == MemoryPattern::banks;
  expect(!needs_banks || slice.model->impl == "builtin.hbm_banks",
         "patterns of banks need hbm_ctrl.impl: builtin.hbm_banks, got " + slice.model->impl);
  const Bytes least =
      MemoryAccesses::least_slice(request, banks_of(slice), scheduler_of(slice)->orders_commands());
  expect(size >= least,
         fmt::format("a slice of {} (cube.memory.hbm_bytes_per_pe) is too small for --pattern {} with "
                     "accesses of {}: expected at least {}",
                     to_string(size), kMemoryPatterns.at(static_cast<std::size_t>(request.pattern)),
                     to_string(request.access), to_string(least)));
}

}  // namespace

MemoryPattern memory_pattern_named(std::string_view name) {
  const auto found = std::ranges::find(kMemoryPatterns, name);
  if (found != kMemoryPatterns.end()) return static_cast<MemoryPattern>(found - kMemoryPatterns.begin());
  const std::vector<std::string> names{kMemoryPatterns.begin(), kMemoryPatterns.end()};
  throw UsageError{
      fmt::format("--pattern {}: no such pattern of accesses{}", name, name_hint(std::string{name}, names))};
}

double MemoryTrafficResult::efficiency() const {
  return static_cast<double>(raw.serialization(bytes).count()) / static_cast<double>(simulated.count());
}

namespace {

// The size of a slice, or of a channel that PEs share.
Bytes memory_size(const config::MachineSpec& spec) {
  return spec.shares_hbm() ? spec.cube.floorplan.hbm.channel : spec.cube.memory.hbm_per_pe;
}

}  // namespace

MemoryTrafficResult run_memory_traffic(const topology::Graph& graph, NodeId slice,
                                       const MemoryTrafficRequest& request) {
  const MemorySite site = memory_site(graph, slice);
  const Bytes size = memory_size(graph.spec());
  check(request, site.node, size);
  return MemoryRun{site, size, request}.run();
}

}  // namespace kbsim::hw
