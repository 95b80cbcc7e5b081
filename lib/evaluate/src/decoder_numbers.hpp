#pragma once

#include <vector>

#include "kbsim/evaluate/decoder_run.hpp"
#include "kbsim/host/host_array.hpp"

namespace kbsim::evaluate {

struct LinearNumbers {
  host::HostArray weight, bias;
};

/// All tensors of the undivided layer. A cache has zeros where the layer's own keys and values go.
struct DecoderNumbers {
  host::HostArray x;
  LinearNumbers norm1, norm2;
  LinearNumbers q, k, v, o, gate, up, down;
  host::HostArray k_cache, v_cache;
};
/// The arrays have no contents if the run has no values.
[[nodiscard]] DecoderNumbers decoder_numbers(const DecoderProblem& problem, bool values);

/// The layer's result [rows, hidden_size] in f64.
[[nodiscard]] std::vector<double> undivided(const DecoderProblem& problem, const DecoderNumbers& of);

}  // namespace kbsim::evaluate
