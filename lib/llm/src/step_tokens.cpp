// Tokens between the host and the ranks of a divided model.
#include "step_tokens.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "kbsim/host/host_array.hpp"

namespace kbsim::inference {
namespace {

using host::HostArray;
using host::Tensor;

std::vector<std::int64_t> integers(const HostArray& array) {
  std::vector<std::int64_t> all;
  for (const double number : array.to_doubles()) all.push_back(static_cast<std::int64_t>(number));
  return all;
}

// Tokens of all sequences of a copy that a decode begins with: chosen in a prefill, or drawn.
std::vector<std::int64_t> decode_tokens(const RankRun& run) {
  const LlmProblem& problem = run.plan->problem;
  if (problem.has(Phase::prefill)) return chosen_tokens(*run.whole, *run.board, 0, run.share().at.dp);
  std::vector<std::int64_t> drawn;
  for (std::int64_t i = 0; i < problem.batch; ++i)
    drawn.push_back(run.plan->numbers.token(run.share().first_sequence + i, 0));
  return drawn;
}

HostArray decode_ids(const RankRun& run, bool values) {
  const LlmProblem& problem = run.plan->problem;
  const std::int64_t own = run.share().own_rows(Phase::decode);
  const std::int64_t rows = own * problem.micro_batches;
  if (!values) return HostArray::without_numbers({rows}, i32);
  return host::generate({rows}, i32, [&run, &problem, own, all = decode_tokens(run)](std::int64_t i) {
    const std::int64_t row = i / own * problem.rows_at_once(Phase::decode) +
                             run.share().whole_row(Phase::decode, run.plan->site.grid, i % own);
    return static_cast<double>(all[static_cast<std::size_t>(row)]);
  });
}

}  // namespace

Task<> hand_tokens(host::Rank& rank, RankRun* run, std::size_t phase) {
  const RankShare& share = run->share();
  const bool decodes = run->plan->problem.phases[phase] == Phase::decode;
  if (!decodes || !share.first_stage() || !share.host_chooses()) co_return;
  const Tensor ids = run->tensor(run->plan->phases[phase].ids);
  const HostArray tokens = decode_ids(*run, rank.session().has_values());
  co_await ids.copy_(tokens);
}

Task<> read_tokens(RankRun* run, std::size_t phase, RankStep* step) {
  const PhaseTensors& tensors = run->plan->phases[phase];
  if (tensors.tokens == TensorId::none) co_return;
  const Tensor tokens = run->tensor(tensors.tokens);
  const host::Work<HostArray> words = tokens.to_host();
  if (tensors.largest != TensorId::none) {
    const Tensor largest = run->tensor(tensors.largest);
    const HostArray logits = co_await largest.to_host();
    if (logits.has_numbers()) step->largest = logits.to_doubles();
  }
  const HostArray ids = co_await words;
  if (ids.has_numbers()) step->words = integers(ids);
}

Task<> keep_numbers(RankRun* run, std::size_t phase, RankStep* step) {
  const PhaseTensors& tensors = run->plan->phases[phase];
  if (tensors.ids != TensorId::none) {
    const Tensor ids = run->tensor(tensors.ids);
    const HostArray array = co_await ids.to_host();
    step->ids = integers(array);
  }
  step->logits.clear();
  for (const TensorId part : tensors.logits) {
    const Tensor logits = run->tensor(part);
    const HostArray array = co_await logits.to_host();
    std::ranges::copy(array.to_doubles(), std::back_inserter(step->logits));
  }
}

}  // namespace kbsim::inference
