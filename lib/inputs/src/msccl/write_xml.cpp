// A plan as MSCCL's XML.
#include <iterator>

#include <fmt/format.h>

#include "kbsim/inputs/msccl/xml.hpp"

#include "collective_names.hpp"

namespace kbsim::inputs {
namespace {

std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if (c == '&') {
      all += "&amp;";
    } else if (c == '<') {
      all += "&lt;";
    } else if (c == '"') {
      all += "&quot;";
    } else {
      all += c;
    }
  }
  return all;
}

std::string element(int number, const PlanStep& step, const std::vector<PlanBlock>& blocks) {
  const PlanOpTraits op = traits_of(step.op);
  const PlanChunk none{.buffer = PlanBuffer::input, .index = -1};
  const PlanChunk src = op.reads ? step.src : none;
  const PlanChunk dst = op.stores ? step.dst : none;
  const auto letter = [](const PlanChunk& chunk) {
    return kPlanBuffers[static_cast<std::size_t>(chunk.buffer)];
  };
  const int depid = step.after_block < 0 ? -1 : blocks[static_cast<std::size_t>(step.after_block)].id;
  return fmt::format(
      "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{}\" "
      "depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n",
      number, to_string(step.op), letter(src), src.index, letter(dst), dst.index, step.count, depid,
      step.after_step, step.awaited ? 1 : 0);
}

void write_gpu(const ccl::Plan& plan, int rank, std::string& out) {
  const auto& blocks = plan.blocks[static_cast<std::size_t>(rank)];
  const int output = plan.chunks_of(PlanBuffer::output, rank);
  const int input = plan.chunks_of(PlanBuffer::input, rank);
  const auto is_other = [&](int mine, int other) { return plan.in_place && mine < other; };
  out += fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", rank,
                     is_other(input, output) ? 0 : input,
                     is_other(output, input) || (plan.in_place && input == output) ? 0 : output,
                     plan.scratch_chunks[static_cast<std::size_t>(rank)]);
  for (const PlanBlock& block : blocks) {
    out += fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", block.id, block.send,
                       block.recv, block.channel);
    int number = 0;
    for (const PlanStep& step : block.steps) out += element(number++, step, blocks);
    out += "    </tb>\n";
  }
  out += "  </gpu>\n";
}

}  // namespace

std::string to_msccl(const ccl::Plan& plan) {
  std::string out = fmt::format(
      "<algo name=\"{}\" proto=\"{}\" nchannels=\"{}\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" "
      "inplace=\"{}\" "
      "outofplace=\"{}\">\n",
      escaped(plan.name), escaped(plan.protocol), plan.channels, plan.chunks, plan.ranks(),
      plan.custom ? std::string{ccl::Plan::kCustom} : msccl::name_of(plan.collective), plan.in_place ? 1 : 0,
      plan.in_place ? 0 : 1);
  for (int rank = 0; rank < plan.ranks(); ++rank) write_gpu(plan, rank, out);
  return out + "</algo>\n";
}

}  // namespace kbsim::inputs
