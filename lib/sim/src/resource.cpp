#include "kbsim/sim/resource.hpp"

#include "kbsim/base/error.hpp"

namespace kbsim {

Resource::~Resource() {
  while (!grants_.empty()) grants_.pop_front();
}

Resource::Acquire Resource::acquire(std::int64_t n, const std::source_location& at) {
  if (n <= 0 || n > units_) {
    throw UsageError{to_string(to_place(at)) + ": resource " + name_ + " has " + std::to_string(units_) +
                     " units, " + std::to_string(n) + " can't be acquired"};
  }
  return Acquire{*this, n, at};
}

bool Resource::Acquire::await_ready() {
  if (!resource_.waiters_.empty() || resource_.free_ < n_) return false;
  resource_.free_ -= n_;
  grant_ = Grant{resource_, n_};
  return true;
}

void Resource::give_back(std::int64_t n) {
  free_ += n;
  while (!waiters_.empty()) {
    auto& waiter = static_cast<detail::PromiseBase&>(waiters_.front());
    auto& acquire = static_cast<Acquire&>(*waiter.wait);
    if (acquire.n_ > free_) return;
    waiters_.pop_front();
    free_ -= acquire.n_;
    acquire.grant_ = Grant{*this, acquire.n_};
    scheduler_.ready(waiter);
  }
}

Resource::Grant& Resource::Grant::operator=(Grant&& other) noexcept {
  if (this == &other) return *this;
  release();
  if (!other.linked()) return *this;
  resource_ = other.resource_;
  n_ = other.n_;
  resource_->grants_.push_back(*this);
  other.unlink();
  return *this;
}

void Resource::Grant::release() {
  if (!linked()) return;
  unlink();
  resource_->give_back(n_);
}

}  // namespace kbsim
