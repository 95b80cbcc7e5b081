#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kbsim/models/model_config.hpp"

namespace kbsim::models {

/// x / sqrt(mean(x^2) + eps).
void rms_normalise(std::span<double> x, double eps);
/// (x - mean) / sqrt(variance + eps).
void layer_normalise(std::span<double> x, double eps);

/// Turns pairs of a head's first elements, two for each frequency, by position x frequency.
void turn(std::span<double> head, const std::vector<double>& frequencies, bool interleaved, double position);

/// Scores to shares that sum to 1.
void softmax(std::vector<double>& scores);

[[nodiscard]] double activate(HiddenAct act, double x);

/// x [m, k] by w [k, n].
[[nodiscard]] std::vector<double> multiply(const std::vector<double>& x, const std::vector<double>& w,
                                           std::size_t k, std::size_t n);

}  // namespace kbsim::models
