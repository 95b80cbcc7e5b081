// MSCCL's XML to a plan.
#include "kbsim/inputs/msccl/xml.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"

#include "collective_names.hpp"
#include "elements.hpp"
#include "msccl_attributes.hpp"
#include "queue_checks.hpp"
#include "shown.hpp"

namespace kbsim::inputs {
namespace {

using msccl::Element;

constexpr int kMostRanks = 256;
constexpr int kMostChunks = 1 << 20;
constexpr int kMostBlocks = 1 << 16;
constexpr int kMostSteps = 1 << 20;  // of a thread block
constexpr std::int64_t kMostCells = 1 << 24;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Reads the elements into a plan, in their order.
class Reader {
 public:
  explicit Reader(const Text& text) : text_{text} {}

  ccl::Plan read() {
    pugi::xml_document document;
    const Element algo = msccl::parsed(text_, document);
    algo.require_name("algo", "");
    read_algo(algo);
    std::vector<std::optional<Element>> gpus(at(ranks_));
    algo.each("gpu", [&](const Element& gpu) {
      std::optional<Element>& place = gpus[at(gpu.number("id", 0, ranks_ - 1))];
      if (place) throw gpu.error("id", fmt::format("there are two gpus {}", gpu.number("id", 0, ranks_ - 1)));
      place = gpu;
    });
    for (int rank = 0; rank < ranks_; ++rank) {
      if (!gpus[at(rank)])
        throw algo.error("ngpus", fmt::format("there are {} gpus, but no gpu {}", ranks_, rank));
      read_gpu(rank, *gpus[at(rank)]);
    }
    ccl::mark_awaited(plan_);
    return std::move(plan_);
  }

 private:
  void read_algo(const Element& algo) {
    msccl::require_known_attributes(algo);
    plan_.file = text_.name();
    plan_.name = algo.has("name") ? std::string{algo.text("name")} : std::string{"unnamed"};
    plan_.protocol = algo.has("proto") ? std::string{algo.text("proto")} : std::string{"Simple"};
    plan_.custom = msccl::is_custom(algo.text("coll"));
    const auto collective =
        plan_.custom ? config::Collective::sendrecv : msccl::collective_named(algo.text("coll"));
    if (!collective) throw algo.error("coll", msccl::unknown_collective(algo.text("coll")));
    plan_.collective = *collective;
    plan_.in_place = algo.number_or("inplace", 0, 0, 1) == 1;
    plan_.channels = algo.number_or("nchannels", 1, 0, kMostBlocks);
    plan_.chunks = algo.number("nchunksperloop", 1, kMostChunks);
    ranks_ = algo.number("ngpus", 1, kMostRanks);
    plan_.blocks.resize(at(ranks_));
    plan_.scratch_chunks.resize(at(ranks_));
    if (plan_.custom && !plan_.in_place) {
      plan_.in_chunks.assign(at(ranks_), plan_.chunks);
      plan_.out_chunks.assign(at(ranks_), plan_.chunks);
    }
    if (msccl::has_shares(plan_.collective) && plan_.chunks % ranks_ != 0)
      throw algo.error("nchunksperloop", fmt::format("{} chunks aren't divisible by {} ranks, as {} needs",
                                                     plan_.chunks, ranks_, algo.text("coll")));
  }

  void read_gpu(int rank, const Element& gpu) {
    msccl::require_known_attributes(gpu);
    read_chunks(gpu, "i_chunks", PlanBuffer::input, rank);
    read_chunks(gpu, "o_chunks", PlanBuffer::output, rank);
    plan_.scratch_chunks[at(rank)] = gpu.number_or("s_chunks", 0, 0, kMostChunks);
    cells_ += std::int64_t{2} * plan_.chunks + plan_.scratch_chunks[at(rank)];
    if (cells_ > kMostCells) throw gpu.error(fmt::format("the buffers have more than {} chunks", kMostCells));
    std::map<int, Element> blocks;  // by id
    gpu.each("tb", [&](const Element& tb) {
      const int id = tb.number("id", 0, kMostBlocks);
      if (!blocks.emplace(id, tb).second)
        throw tb.error("id", fmt::format("gpu {} has two thread blocks {}", rank, id));
    });
    std::map<int, int> index;
    for (const auto& [id, tb] : blocks) index.emplace(id, static_cast<int>(index.size()));
    for (const auto& [id, tb] : blocks) plan_.blocks[at(rank)].push_back(block_of(rank, tb));
    int number = 0;
    for (const auto& [id, tb] : blocks) read_dependencies(rank, number++, tb, index);
  }

  // A buffer that is the other one's has no chunks of its own. A custom plan states the length of its
  // buffers, up to nchunksperloop.
  void read_chunks(const Element& gpu, const char* attribute, PlanBuffer buffer, int rank) {
    if (plan_.custom && !plan_.in_place) {
      int& chunks = (buffer == PlanBuffer::input ? plan_.in_chunks : plan_.out_chunks)[at(rank)];
      chunks = gpu.number_or(attribute, plan_.chunks, 0, plan_.chunks);
      return;
    }
    const int wanted = plan_.chunks_of(buffer, rank);
    const int said = gpu.number_or(attribute, 0, 0, kMostChunks);
    if (said == 0 || said == wanted) return;
    if (plan_.custom)
      throw Unsupported{fmt::format(
          "{}: {} is {} of a custom plan in place, and nchunksperloop {}: where a shorter input or "
          "output lies in the other isn't known",
          to_string(gpu.place()), attribute, said, wanted)};
    throw gpu.error(attribute, fmt::format("{} must be {} by nchunksperloop and the collective, got {}",
                                           attribute, wanted, said));
  }

  [[nodiscard]] int peer(const Element& tb, const char* attribute, int rank) const {
    const int found = tb.number_or(attribute, -1, -1, ranks_ - 1);
    if (found == rank) throw tb.error(attribute, fmt::format("{}: rank {} is this one", attribute, rank));
    return found;
  }

  PlanBlock block_of(int rank, const Element& tb) {
    msccl::require_known_attributes(tb);
    const Place place = tb.place();
    PlanBlock block{.id = tb.number("id", 0, kMostBlocks),
                    .send = peer(tb, "send", rank),
                    .recv = peer(tb, "recv", rank),
                    .channel = tb.number_or("chan", 0, -1, kMostBlocks),
                    .steps = {},
                    .line = place.line,
                    .column = place.column};
    for (const Element& step : steps_of(tb)) block.steps.push_back(step_of(rank, block, step));
    return block;
  }

  // Sorted by their numbers, in any order of the file.
  static std::vector<Element> steps_of(const Element& tb) {
    std::vector<Element> steps;
    tb.each("step", [&](const Element& step) {
      if (steps.size() == at(kMostSteps)) throw step.error(fmt::format("more than {} steps", kMostSteps));
      steps.push_back(step);
    });
    const auto number = [](const Element& step) { return step.number("s", 0, kMostSteps); };
    std::ranges::sort(steps, {}, number);
    for (int wanted = 0; const Element& step : steps) {
      const int found = number(step);
      if (found < wanted) throw step.error("s", fmt::format("there are two steps {}", found));
      if (found > wanted) throw step.error("s", fmt::format("there is no step {} before this one", wanted));
      ++wanted;
    }
    return steps;
  }

  PlanStep step_of(int rank, const PlanBlock& block, const Element& element) const {
    msccl::require_known_attributes(element);
    const std::string_view type = element.text("type");
    const auto known = std::ranges::find(kPlanOps, type);
    if (known == kPlanOps.end()) {
      throw element.error("type", fmt::format("there is no step type '{}'; expected {}", msccl::shown(type),
                                              fmt::join(kPlanOps, ", ")));
    }
    const Place place = element.place();
    PlanStep step{
        .op = static_cast<PlanOp>(known - kPlanOps.begin()), .line = place.line, .column = place.column};
    const PlanOpTraits op = traits_of(step.op);
    if (op.sends && block.send < 0)
      throw element.error(
          "type", fmt::format("'{}' sends, and thread block {} has no peer to send to", type, block.id));
    if (op.receives && block.recv < 0)
      throw element.error(
          "type",
          fmt::format("'{}' receives, and thread block {} has no peer to receive from", type, block.id));
    if (step.op == PlanOp::nop) return step;
    step.count = element.number("cnt", 1, kMostChunks);
    if (op.reads) step.src = chunk_of(rank, element, "srcbuf", "srcoff", step.count);
    if (op.stores) step.dst = chunk_of(rank, element, "dstbuf", "dstoff", step.count);
    return step;
  }

  [[nodiscard]] PlanChunk chunk_of(int rank, const Element& step, const char* buffer, const char* offset,
                                   int count) const {
    const std::string_view letter = step.text(buffer);
    const std::size_t which = letter.size() == 1 ? kPlanBuffers.find(letter) : std::string_view::npos;
    if (which == std::string_view::npos)
      throw step.error(buffer,
                       fmt::format("there is no buffer '{}'; expected i, o or s", msccl::shown(letter)));
    const PlanChunk first{.buffer = static_cast<PlanBuffer>(which),
                          .index = step.number(offset, 0, kMostChunks)};
    const int size = plan_.chunks_of(first.buffer, rank);
    if (count > size || first.index > size - count)
      throw step.error(offset, fmt::format("chunks {} to {} of buffer '{}' aren't there: it has {}",
                                           first.index, std::int64_t{first.index} + count - 1, letter, size));
    return first;
  }

  static void require_no_step(const Element& element) {
    const int deps = element.number_or("deps", -1, -1, kMostSteps);
    if (deps >= 0)
      throw element.error("deps",
                          fmt::format("a wait for step {}, of no thread block: expected depid, too", deps));
  }

  // Called when all blocks of the rank have their steps.
  void read_dependencies(int rank, int number, const Element& tb, const std::map<int, int>& index) {
    auto& blocks = plan_.blocks[at(rank)];
    std::size_t next = 0;
    for (const Element& element : steps_of(tb)) {
      PlanStep& step = blocks[at(number)].steps[next++];
      const int id = element.number_or("depid", -1, -1, kMostBlocks);
      if (id < 0) {
        require_no_step(element);
        continue;
      }
      const auto found = index.find(id);
      if (found == index.end())
        throw element.error("depid", fmt::format("gpu {} has no thread block {} to wait for", rank, id));
      const int steps = static_cast<int>(blocks[at(found->second)].steps.size());
      const int deps = element.number("deps", 0, kMostSteps);
      if (deps >= steps)
        throw element.error(
            "deps", fmt::format("thread block {} has no step {} to wait for: it has {}", id, deps, steps));
      step.after_block = found->second;
      step.after_step = deps;
    }
  }

  const Text& text_;
  ccl::Plan plan_;
  int ranks_ = 0;
  std::int64_t cells_ = 0;
};

}  // namespace

ccl::Plan parse_msccl(const Text& text) {
  ccl::Plan plan = Reader{text}.read();
  msccl::require_queues(plan);
  msccl::require_ends(plan);
  return plan;
}

}  // namespace kbsim::inputs
