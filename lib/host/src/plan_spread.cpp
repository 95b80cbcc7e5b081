#include "plan_spread.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

namespace kbsim::host {
namespace {

namespace views = ranges::views;

/// A step of a thread block, both by number.
struct StepAt {
  int block = -1;
  int step = -1;
};
/// Number of steps of each thread block that have certainly ended.
using StepClock = std::vector<int>;

/// The last step that wrote a chunk, and the steps that have read it since.
struct ChunkAccess {
  StepAt writer;
  std::vector<StepAt> readers;
};

std::size_t place_in(int number) { return static_cast<std::size_t>(number); }

int ended_by(const StepClock& clock, int block) {
  return place_in(block) < clock.size() ? clock[place_in(block)] : 0;
}

void raise_to(StepClock& clock, int block, int steps) {
  if (clock.size() <= place_in(block)) clock.resize(place_in(block) + 1);
  clock[place_in(block)] = std::max(clock[place_in(block)], steps);
}

void merge_clock(StepClock& clock, const StepClock& other) {
  for (const auto& [block, steps] : views::zip(views::iota(0), other)) raise_to(clock, block, steps);
}

class Spreading {
 public:
  Spreading(const RecordedKernel& kernel, const ccl::Plan& plan, int rank)
      : kernel_{kernel}, plan_{plan}, rank_{rank}, uses_(kernel.values.size()) {
    for (const RecordedEvent& event : kernel.events) {
      if (event.kind == RecordedEvent::Kind::send || event.kind == RecordedEvent::Kind::store)
        ++uses_[event.value];
      if (event.kind != RecordedEvent::Kind::sum) continue;
      ++uses_[kernel.values[event.value].left];
      ++uses_[kernel.values[event.value].right];
    }
  }

  SpreadKernel run() && {
    for (const RecordedEvent& event : kernel_.events) {
      switch (event.kind) {
        case RecordedEvent::Kind::recv: receive(event); break;
        case RecordedEvent::Kind::sum: add(event); break;
        case RecordedEvent::Kind::send: send(event); break;
        case RecordedEvent::Kind::store: store(event); break;
      }
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] PlanChunk home(std::size_t value) const {
    const RecordedValue& found = kernel_.values[value];
    return found.memory ? *found.memory : homes_.at(value);
  }
  PlanChunk make_home(std::size_t value) {
    const PlanChunk home{.buffer = PlanBuffer::scratch, .index = made_.scratch};
    made_.scratch += kernel_.values[value].count;
    return homes_[value] = home;
  }

  int block(int pe, Dir send, Dir recv) {
    const auto same = [&](const SpreadBlock& one) {
      return one.pe == pe && one.send == send && one.recv == recv;
    };
    const auto found = std::ranges::find_if(made_.blocks, same);
    if (found != made_.blocks.end()) return static_cast<int>(found - made_.blocks.begin());
    made_.blocks.push_back({.pe = pe, .send = send, .recv = recv});
    clocks_.emplace_back();
    return static_cast<int>(made_.blocks.size()) - 1;
  }

  void receive(const RecordedEvent& event) {
    put(block(event.queue.pe, Dir::any, event.queue.label),
        {.op = PlanOp::recv, .dst = make_home(event.value)}, event.value);
  }
  void send(const RecordedEvent& event) {
    put(block(event.queue.pe, event.queue.label, Dir::any), {.op = PlanOp::send, .src = home(event.value)},
        event.value);
  }
  void store(const RecordedEvent& event) {
    const PlanChunk from = home(event.value);
    if (from != event.to) local({.op = PlanOp::copy, .src = from, .dst = event.to}, event);
  }

  // Adds in the place of a message or sum without other uses; else in a place of its own.
  void add(const RecordedEvent& event) {
    const std::size_t value = event.value;
    const RecordedValue& sum = kernel_.values[value];
    for (const auto& [to, other] : {std::pair{sum.left, sum.right}, {sum.right, sum.left}}) {
      if (kernel_.values[to].memory || uses_[to] > 1) continue;
      homes_[value] = home(to);
      local({.op = PlanOp::reduce, .src = home(other), .dst = home(to)}, event);
      return;
    }
    const PlanChunk to = make_home(value);
    local({.op = PlanOp::copy, .src = home(sum.left), .dst = to}, event);
    local({.op = PlanOp::reduce, .src = home(sum.right), .dst = to}, event);
  }

  void local(const PlanStep& step, const RecordedEvent& event) {
    put(block(event.queue.pe, Dir::any, Dir::any), step, event.value);
  }

  void put(int number, PlanStep step, std::size_t value) {
    step.count = kernel_.values[value].count;
    const std::vector<StepAt> after = waits_of(number, needs_of(step));
    for (const StepAt& awaited : after) {
      PlanStep waiting = &awaited == &after.back() ? step : PlanStep{.op = PlanOp::nop};
      waiting.after_block = awaited.block;
      waiting.after_step = awaited.step;
      append(number, waiting, awaited);
    }
    if (after.empty()) append(number, step, {});
    note(step, {.block = number, .step = static_cast<int>(steps(number).size()) - 1});
  }

  [[nodiscard]] std::vector<PlanStep>& steps(int number) { return made_.blocks[place_in(number)].steps; }

  void append(int number, const PlanStep& step, StepAt after) {
    StepClock clock = clock_of(number);
    if (after.block >= 0) merge_clock(clock, clocks_[place_in(after.block)][place_in(after.step)]);
    steps(number).push_back(step);
    raise_to(clock, number, static_cast<int>(steps(number).size()));
    clocks_[place_in(number)].push_back(std::move(clock));
  }
  // The clock of a thread block's last step.
  [[nodiscard]] StepClock clock_of(int number) const {
    return clocks_[place_in(number)].empty() ? StepClock{} : clocks_[place_in(number)].back();
  }

  template <class Action>
  void each_chunk(PlanChunk first, int count, const Action& action) {
    for (int i = 0; i < count; ++i)
      action(accesses_[ccl::place_of(plan_, rank_, {.buffer = first.buffer, .index = first.index + i})]);
  }

  // The steps that a step depends on, the last one of each thread block.
  [[nodiscard]] std::map<int, int> needs_of(const PlanStep& step) {
    std::map<int, int> last;
    const auto need = [&](StepAt one) {
      if (one.block < 0) return;
      const auto [found, is_new] = last.emplace(one.block, one.step);
      if (!is_new) found->second = std::max(found->second, one.step);
    };
    const PlanOpTraits op = traits_of(step.op);
    if (op.reads) each_chunk(step.src, step.count, [&](const ChunkAccess& chunk) { need(chunk.writer); });
    if (!op.stores) return last;
    each_chunk(step.dst, step.count, [&](const ChunkAccess& chunk) {
      need(chunk.writer);
      for (const StepAt& reader : chunk.readers) need(reader);
    });
    return last;
  }

  // The needs that the thread block's last step, or another need, doesn't already imply.
  [[nodiscard]] std::vector<StepAt> waits_of(int number, const std::map<int, int>& needs) const {
    const StepClock known = clock_of(number);
    std::vector<StepAt> all;
    for (const auto& [block, step] : needs) {
      if (block == number || ended_by(known, block) > step) continue;
      const bool implied = std::ranges::any_of(needs, [&, wanted = step, of = block](const auto& other) {
        return other.first != of && other.first != number &&
               ended_by(clocks_[place_in(other.first)][place_in(other.second)], of) > wanted;
      });
      if (!implied) all.push_back({.block = block, .step = step});
    }
    return all;
  }

  void note(const PlanStep& step, StepAt where) {
    const PlanOpTraits op = traits_of(step.op);
    if (op.reads)
      each_chunk(step.src, step.count, [&](ChunkAccess& chunk) { chunk.readers.push_back(where); });
    if (op.stores)
      each_chunk(step.dst, step.count, [&](ChunkAccess& chunk) { chunk = {.writer = where, .readers = {}}; });
  }

  const RecordedKernel& kernel_;
  const ccl::Plan& plan_;
  int rank_;
  std::vector<int> uses_;  // by value
  std::map<std::size_t, PlanChunk> homes_;
  std::map<ccl::PlanPlace, ChunkAccess> accesses_;
  std::vector<std::vector<StepClock>> clocks_;  // by thread block and step
  SpreadKernel made_;
};

}  // namespace

SpreadKernel spread(const RecordedKernel& kernel, const ccl::Plan& plan, int rank) {
  return Spreading{kernel, plan, rank}.run();
}

}  // namespace kbsim::host
