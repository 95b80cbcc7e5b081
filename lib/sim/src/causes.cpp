#include "kbsim/sim/causes.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/deadlock.hpp"

namespace kbsim {

Causes::Causes(const Time& now, const Options& options)
    : now_{now},
      options_{options},
      records_(1),
      compress_at_{1 << 16},
      lines_(1),
      keeps_all_{options.all > 0} {
  const std::uint32_t start = allocate();
  records_[start].moment = {.at = now};
  current_ = Cause{*this, start};
}

Cause Causes::make_any(Time at, const Cause& parent, const Why& why, bool tied) {
  const std::uint32_t id = allocate();
  Record& record = records_[id];
  record.moment = {.at = at};
  if (!parent || !given_up_.empty()) [[unlikely]]
    return {*this, id};
  retain(parent.id());
  record.moment.parent = parent.id();
  record.moment.why = why;
  record.moment.tied = tied;
  return {*this, id};
}

Cause Causes::make(Time at, const Cause& parent, const Why& why, bool tied) {
  if (parent && parent.at() > at && given_up_.empty()) [[unlikely]]
    throw InternalError{fmt::format("a time is earlier than its cause: {} before {}, reason {} at {}",
                                    to_string(at), to_string(parent.at()), why.reason, why.place)};
  return make_any(at, parent, why, tied);
}

Cause Causes::make_back(Time at, const Cause& parent, const Why& why) {
  return make_any(at, parent, why, false);
}

Cause Causes::make_stepped(const Cause& parent, const Why& why, const Cause& exactly) {
  Cause made = make(exactly.at(), parent, why);
  if (!keeps_all_) return made;
  retain(exactly.id());
  records_[made.id()].moment.other = exactly.id();
  records_[made.id()].moment.stepped = true;
  return made;
}

void Causes::give_up(std::string why) {
  if (!options_.optional) throw Unsupported{"--explain: " + why};
  if (given_up_.empty()) given_up_ = std::move(why);
}

Cause Causes::make(Time at, const Cause& parent, const Why& why, const Cause& other) {
  const bool tied = other && parent && other.at() == parent.at();
  ensure(!other || !parent || other.at() <= parent.at(), "a parent is the last of the causes");
  Cause made = make(at, parent, why, tied);
  if (!keeps_all_ || !other || other.id() == parent.id()) return made;
  retain(other.id());
  records_[made.id()].moment.other = other.id();
  return made;
}

Cause Causes::latest(const Cause& a, const Cause& b) {
  const bool second = b && (!a || a.at() < b.at());
  const Cause& last = second ? b : a;
  const Cause& first = second ? a : b;
  if (!keeps_all_ || !first || first.id() == last.id()) return last;
  return make(last.at(), last, {.reason = kLatest}, first);
}

void Causes::note_order(Server server, const Cause& came) {
  if (server.kind >= came_.size()) came_.resize(server.kind + 1);
  std::vector<Cause>& kind = came_[server.kind];
  if (server.number >= kind.size()) kind.resize(server.number + 1);
  Cause& before = kind[server.number];
  if (before) orders_.emplace_back(std::move(before), came);
  before = came;
}

void Causes::in_order(const Cause& first, const Cause& second) {
  if (keeps_all_ && first && second) orders_.emplace_back(first, second);
}

void Causes::met(const void* condition) {
  if (keeps_all_) set_.insert_or_assign(condition, current_);
}

void Causes::found_met(const void* condition) {
  if (!keeps_all_) return;
  const auto found = set_.find(condition);
  if (found == set_.end()) return;
  const Cause met = found->second;
  current_ = latest(current_, met);
}

void Causes::waits(const void* event) {
  if (keeps_all_) waiting_.insert_or_assign(event, current_);
}

// What was kept beside the last goes.
void Causes::keep_only_last() {
  keeps_all_ = false;
  orders_ = {};
  came_ = {};
  set_ = {};
  waiting_ = {};
  for (Record& record : records_) {
    if (record.moment.other != 0) release(std::exchange(record.moment.other, 0));
    record.moment.stepped = false;
  }
}

Cause Causes::known(Time t) {
  if (stated_ && stated_.at() == t) return std::exchange(stated_, {});
  return t == now_ ? current_ : Cause{};
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

void Causes::scheduled(const void* event, Time when) {
  Cause why = of(when);
  if (const std::uint32_t before = events_.put(event, std::exchange(why.id_, 0)); before != 0) [[unlikely]]
    release(before);
}

// What nobody has noted has a cause of its own, or none.
void Causes::runs(const void* event) {
  stated_ = {};
  const std::uint32_t found = events_.take(event);
  current_ = found != 0 ? Cause{*this, found} : Cause{};
  if (!keeps_all_ || found == 0) return;
  const auto waited = waiting_.find(event);
  if (waited == waiting_.end()) return;
  const Cause ready = std::move(waited->second);
  waiting_.erase(waited);
  current_ = latest(current_, ready);
}

void Causes::free(std::uint32_t id) {
  records_[id].moment.parent = std::exchange(first_free_, id);
  ++free_;
}

// With it go ancestors of which nothing else descends.
void Causes::drop(std::uint32_t id) {
  std::vector<std::uint32_t> others;
  for (;;) {
    do {
      const std::uint32_t parent = records_[id].moment.parent;
      if (const std::uint32_t other = std::exchange(records_[id].moment.other, 0); other != 0)
        others.push_back(other);
      free(id);
      id = parent;
    } while (id != 0 && --records_[id].references == 0);
    do {
      if (others.empty()) return;
      id = others.back();
      others.pop_back();
    } while (--records_[id].references != 0);
  }
}

std::uint32_t Causes::allocate() {
  ++made_;
  if (first_free_ == 0) return grow();
  const std::uint32_t id = first_free_;
  Record& record = records_[id];
  first_free_ = record.moment.parent;
  --free_;
  record.references = 1;
  record.mark = 0;
  return id;
}

// None is free.
std::uint32_t Causes::grow() {
  if (keeps_all_ && records_.size() > options_.all) keep_only_last();
  if (!keeps_all_ && free_ == 0 && records_.size() >= compress_at_) {
    compress();
    if (living() > compress_at_ / 2) compress_at_ *= 2;
  }
  if (free_ != 0) return --made_, allocate();
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
  if (parent.references != 1 || a.parent == 0 || !(b.why == first) || a.other != 0 || b.other != 0)
    return false;
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
      free(gone);
    }
  }
}

}  // namespace kbsim
