#include "reference_math.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kbsim::models {

void rms_normalise(std::span<double> x, double eps) {
  double squares = 0.0;
  for (const double v : x) squares += v * v;
  const double root = std::sqrt(squares / static_cast<double>(x.size()) + eps);
  for (double& v : x) v /= root;
}

void layer_normalise(std::span<double> x, double eps) {
  const auto n = static_cast<double>(x.size());
  double mean = 0.0;
  for (const double v : x) mean += v / n;
  double variance = 0.0;
  for (const double v : x) variance += (v - mean) * (v - mean) / n;
  for (double& v : x) v = (v - mean) / std::sqrt(variance + eps);
}

void turn(std::span<double> head, const std::vector<double>& frequencies, bool interleaved, double position) {
  const std::size_t pairs = frequencies.size();
  for (std::size_t i = 0; i < pairs; ++i) {
    double& a = head[interleaved ? 2 * i : i];
    double& b = head[interleaved ? 2 * i + 1 : i + pairs];
    const double angle = position * frequencies[i];
    const double turned = a * std::cos(angle) - b * std::sin(angle);
    b = b * std::cos(angle) + a * std::sin(angle);
    a = turned;
  }
}

void softmax(std::vector<double>& scores) {
  const double most = *std::ranges::max_element(scores);
  double sum = 0.0;
  for (double& v : scores) {
    v = std::exp(v - most);
    sum += v;
  }
  for (double& v : scores) v /= sum;
}

double activate(HiddenAct act, double x) {
  switch (act) {
    case HiddenAct::relu: return x > 0.0 ? x : 0.0;
    case HiddenAct::silu: return x / (1.0 + std::exp(-x));
    case HiddenAct::gelu: return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
    case HiddenAct::gelu_tanh: break;
  }
  return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

std::vector<double> multiply(const std::vector<double>& x, const std::vector<double>& w, std::size_t k,
                             std::size_t n) {
  const std::size_t rows = x.size() / k;
  std::vector<double> y(rows * n);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < n; ++j) y[row * n + j] += x[row * k + i] * w[i * n + j];
    }
  }
  return y;
}

}  // namespace kbsim::models
