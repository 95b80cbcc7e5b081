#include "kbsim/sim/causes.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/deadlock.hpp"

namespace kbsim {

void Cause::release() { of_->release(id_); }

Causes::Causes(const Time& now, const Options& options)
    : now_{now}, options_{options}, records_(1), compress_at_{1 << 16}, lines_(1) {
  const std::uint32_t start = allocate();
  records_[start].moment = {.at = now};
  current_ = Cause{*this, start};
}

Cause Causes::make(Time at, const Cause& parent, const Why& why, bool tied) {
  const std::uint32_t id = allocate();
  Record& record = records_[id];
  record.moment = {.at = at, .parent = parent.id(), .why = parent ? why : Why{}, .tied = tied};
  if (!parent) return {*this, id};
  if (!given_up_.empty()) [[unlikely]]
    return record.moment = {.at = at}, Cause{*this, id};
  ensure(parent.at() <= at, [&] {
    return fmt::format("a time is earlier than its cause: {} before {}, reason {} at {}", to_string(at),
                       to_string(parent.at()), why.reason, why.place);
  });
  retain(parent.id());
  return {*this, id};
}

void Causes::give_up(std::string why) {
  if (!options_.optional) throw Unsupported{"--explain: " + why};
  if (given_up_.empty()) given_up_ = std::move(why);
}

Cause Causes::of(Time t) {
  if (stated_ && stated_.at() == t) return std::exchange(stated_, {});
  if (t == now_) return current_;
  return make(t, t > now_ ? current_ : Cause{}, {});
}

std::uint32_t Causes::line(const Line& at) {
  const auto is_it = [&](const Line& known) {
    return known.line == at.line && std::strcmp(known.file, at.file) == 0;
  };
  const auto known = std::ranges::find_if(lines_.begin() + 1, lines_.end(), is_it);
  if (known == lines_.end()) return lines_.push_back(at), static_cast<std::uint32_t>(lines_.size() - 1);
  return static_cast<std::uint32_t>(known - lines_.begin());
}

void Causes::scheduled(const void* event, Time when) { events_.insert_or_assign(event, of(when)); }

// What nobody has noted has a cause of its own, or none.
void Causes::runs(const void* event) {
  stated_ = {};
  const auto found = events_.find(event);
  if (found == events_.end()) {
    current_ = {};
    return;
  }
  current_ = std::move(found->second);
  events_.erase(found);
}

// With it go ancestors of which nothing else descends.
void Causes::release(std::uint32_t id) {
  while (id != 0 && --records_[id].references == 0) {
    free_.push_back(id);
    id = records_[id].moment.parent;
  }
}

std::uint32_t Causes::allocate() {
  ++made_;
  if (free_.empty() && records_.size() >= compress_at_) {
    compress();
    if (living() > compress_at_ / 2) compress_at_ *= 2;
  }
  if (!free_.empty()) {
    const std::uint32_t id = free_.back();
    free_.pop_back();
    records_[id] = {.moment = {}, .references = 1};
    return id;
  }
  if (records_.size() > options_.most) {
    const std::string many = fmt::format("more than {} causes are alive", options_.most);
    if (!options_.optional) throw LimitError{many + ": without --explain none are kept", {}};
    give_up(many);
  }
  records_.push_back({.moment = {}, .references = 1});
  return static_cast<std::uint32_t>(records_.size() - 1);
}

// Of a run only the last moment is somebody's cause: the others are held by the next.
bool Causes::same_run(const Record& child, const Record& parent) const {
  const Moment& a = parent.moment;
  const Moment& b = child.moment;
  Why first = a.why;
  first.queued = true;
  if (parent.references != 1 || a.parent == 0 || !(b.why == first)) return false;
  const Time before = records_[a.parent].moment.at;
  return (b.at - a.at) * a.count == (a.at - before) * b.count;
}

void Causes::compress() {
  for (std::size_t id = 1; id < records_.size(); ++id) {
    Record& last = records_[id];
    if (last.references == 0) continue;
    while (last.moment.parent != 0 && same_run(last, records_[last.moment.parent])) {
      const std::uint32_t gone = last.moment.parent;
      Record& before = records_[gone];
      last.moment.parent = before.moment.parent;
      last.moment.count += before.moment.count;
      last.moment.tied = last.moment.tied || before.moment.tied;
      last.moment.why.queued = before.moment.why.queued;
      before.references = 0;
      free_.push_back(gone);
    }
  }
}

}  // namespace kbsim
