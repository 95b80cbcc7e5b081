#include "kbsim/sweep/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

namespace kbsim::sweep {
namespace {

constexpr std::size_t kMostNames = 24;

// Features of an axis: one row per value.
std::vector<std::vector<double>> features_along(const Axis& axis) {
  std::vector<double> logarithms;
  for (const AxisValue& value : axis.values) {
    double number = 0.0;
    if (read_number(value.text, &number) && number > 0.0) logarithms.push_back(std::log(number));
  }
  const std::size_t n = axis.values.size();
  std::vector<std::vector<double>> rows(n);
  if (n < 2) return rows;
  if (logarithms.size() == n) {
    const auto [least, most] = std::ranges::minmax(logarithms);
    for (std::size_t i = 0; i < n; ++i) {
      const double x = (logarithms[i] - least) / std::max(most - least, 1e-9);
      rows[i] = n == 2 ? std::vector{x} : std::vector{x, x * x};
    }
  } else if (n <= kMostNames) {
    for (std::size_t i = 0; i < n; ++i) {
      rows[i].resize(n);
      rows[i][i] = 1.0;
    }
  }
  return rows;
}

// Solves A x = b for a symmetric positive definite A, by Cholesky.
std::vector<double> solved(std::vector<double> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    }
    const double root = std::sqrt(std::max(a[j * n + j], 1e-12));
    for (std::size_t i = j; i < n; ++i) a[i * n + j] /= root;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return b;
}

}  // namespace

CostModel::CostModel(const std::vector<Axis>& axes) {
  for (const Axis& axis : axes) {
    features_.push_back(features_along(axis));
    columns_ += features_.back().empty() ? 0 : features_.back().front().size();
  }
  products_.resize(columns_ * columns_);
  sums_.resize(columns_);
}

void CostModel::features_of(const Point& point, std::vector<double>& row) const {
  row.assign(1, 1.0);
  for (std::size_t axis = 0; axis < point.size(); ++axis)
    row.insert(row.end(), features_[axis][point[axis]].begin(), features_[axis][point[axis]].end());
}

void CostModel::learn(const Point& point, double events) {
  const double y = std::log(std::max(events, 1.0));
  least_ = learned_ == 0 ? y : std::min(least_, y);
  most_ = learned_ == 0 ? y : std::max(most_, y);
  ++learned_;
  std::vector<double> row;
  features_of(point, row);
  for (std::size_t i = 0; i < columns_; ++i) {
    sums_[i] += row[i] * y;
    for (std::size_t j = 0; j < columns_; ++j) products_[i * columns_ + j] += row[i] * row[j];
  }
}

bool CostModel::fit() {
  if (learned_ < 2) return false;
  constexpr double kRidge = 1e-5;
  std::vector<double> products = products_;
  for (std::size_t i = 0; i < columns_; ++i)
    products[i * columns_ + i] += i == 0 ? 1e-9 : kRidge * static_cast<double>(learned_);
  weights_ = solved(std::move(products), sums_);
  return true;
}

// The guess stays near the learned range.
double CostModel::guess(const Point& point) const {
  if (weights_.empty()) return 1.0;
  constexpr double kBeyond = 3.0;
  std::vector<double> row;
  features_of(point, row);
  double y = 0.0;
  for (std::size_t i = 0; i < columns_; ++i) y += weights_[i] * row[i];
  return std::exp(std::clamp(y, least_ - kBeyond, most_ + kBeyond));
}

// Before anything is known: spread by the golden section, so that the first few represent all. Neighbours in
// this order lie far apart in the plan.
Schedule::Schedule(const Plan& plan, std::vector<std::size_t> points)
    : plan_{plan}, model_{plan.axes}, failures_{plan.axes} {
  constexpr double kGolden = 0.6180339887498949;
  std::vector<std::pair<double, std::size_t>> spread;
  for (std::size_t i = 0; i < points.size(); ++i)
    spread.emplace_back(std::fmod(static_cast<double>(i) * kGolden, 1.0), points[i]);
  std::ranges::sort(spread);
  for (const auto& [place, point] : spread) pending_.push_back({.point = point});
}

Schedule::Pending Schedule::guessed(std::size_t point) const {
  const Point& values = plan_.points[point];
  return {.point = point, .events = model_.guess(values), .failing = failures_.of(values)};
}

void Schedule::put_back(std::size_t point) { pending_.push_back(guessed(point)); }

void Schedule::learn(std::size_t point, double events, double seconds) {
  failures_.learn(plan_.points[point], events <= 0.0);
  if (events <= 0.0) {
    failed_ += 1.0;
    failed_seconds_ += seconds;
  } else {
    model_.learn(plan_.points[point], events);
  }
  if (events > 0.0 && seconds > 0.0) {
    n_ += 1.0;
    events_ += events;
    seconds_ += seconds;
    squares_ += events * events;
    products_ += events * seconds;
  }
  if (++learned_ >= next_fit_) refit();
}

void Schedule::refit() {
  next_fit_ = learned_ + std::max<std::size_t>(learned_ / 2, 4);
  fitted_ = model_.fit();
  for (Pending& each : pending_) each = guessed(each.point);
  std::ranges::sort(pending_, [](const Pending& a, const Pending& b) {
    return a.events != b.events ? a.events < b.events : a.point > b.point;
  });
}

std::optional<std::size_t> Schedule::next() {
  if (pending_.empty()) return std::nullopt;
  const std::size_t point = pending_.back().point;
  pending_.pop_back();
  return point;
}

// A line through the measurements; neither part of it is below 0.
double Schedule::seconds_of(double events) const {
  if (!fitted_) return seconds_ / n_;
  const double spread = n_ * squares_ - events_ * events_;
  const double ratio = events_ > 0.0 ? seconds_ / events_ : 0.0;
  if (spread <= 1e-9 * n_ * squares_) return ratio * events;
  const double slope = (n_ * products_ - events_ * seconds_) / spread;
  const double base = (seconds_ - slope * events_) / n_;
  if (slope <= 0.0) return seconds_ / n_;
  return base < 0.0 ? ratio * events : base + slope * events;
}

double Schedule::expected(const Pending& point) const {
  if (n_ == 0.0) return failed_seconds_ / failed_;
  const double simulated = (1.0 - point.failing) * seconds_of(point.events);
  return failed_ == 0.0 ? simulated : simulated + point.failing * failed_seconds_ / failed_;
}

// Assigns each point to the worker that is free first, as the sweep will.
double Schedule::seconds_left(std::size_t workers, std::span<const Running> running) const {
  if (n_ + failed_ == 0.0) return 0.0;
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  for (const Running& each : running) {
    const double after = each.ahead ? expected(guessed(*each.ahead)) : 0.0;
    free.push(std::max(0.0, expected(guessed(each.point)) - each.spent) + after);
  }
  while (free.size() < workers) free.push(0.0);
  for (std::size_t i = pending_.size(); i-- > 0;) {
    const double end = free.top() + expected(pending_[i]);
    free.pop();
    free.push(end);
  }
  double last = 0.0;
  for (; !free.empty(); free.pop()) last = free.top();
  return last;
}

}  // namespace kbsim::sweep
