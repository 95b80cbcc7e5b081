#include "kbsim/sim/causes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/deadlock.hpp"

#include "cause_tables.hpp"

namespace kbsim {

Causes::Causes(const Time& now, const Options& options)
    : now_{now},
      options_{options},
      tables_{std::make_unique<CauseTables>()},
      compress_at_{1 << 16},
      keeps_all_{options.all > 0} {
  grow();
  new (place(0)) Record{};
  ++size_;
  set_room();
  current_ = make_any(now, {}, {}, false);
}

// Causes in the tables need the records, which go before the tables.
Causes::~Causes() { tables_->set.clear(); }

// A moment without a parent.
Cause Causes::alone(std::uint32_t id, Time at) {
  new (place(id)) Record{.moment = {.at = at}, .references = 1};
  return {*this, id};
}

void Causes::refuse_earlier(Time at, const Cause& parent, const Why& why) {
  if (parent.of_->gives_up_) return;
  throw InternalError{fmt::format("a time is earlier than its cause: {} before {}, reason {} at {}",
                                  to_string(at), to_string(parent.at()), why.reason, why.place)};
}

void Causes::refuse_last() { throw InternalError{"a parent is the last of the causes"}; }

Cause Causes::make_stepped(const Cause& parent, const Why& why, const Cause& exactly) {
  Cause made = make(exactly.at(), parent, why);
  if (!keeps_all_) return made;
  hold_other(made, exactly);
  record(made.id()).moment.stepped = true;
  return made;
}

void Causes::give_up(std::string why) {
  if (!options_.optional) throw Unsupported{"--explain: " + why};
  if (given_up_.empty()) given_up_ = std::move(why);
  gives_up_ = !given_up_.empty();
}

void Causes::add_order(std::uint32_t first, std::uint32_t second) {
  retain(first);
  retain(second);
  orders_.push_back({.first = first, .second = second});
}

std::uint32_t& Causes::first_of(Server server) {
  if (server.kind >= came_.size()) came_.resize(server.kind + 1);
  std::vector<std::uint32_t>& kind = came_[server.kind];
  if (server.number >= kind.size()) kind.resize(server.number + 1);
  return kind[server.number];
}

void Causes::in_order(const Cause& first, const Cause& second) {
  if (keeps_all_ && first && second) add_order(first.id(), second.id());
}

void Causes::met(const void* condition) {
  if (keeps_all_) tables_->set.insert_or_assign(condition, current_);
}

void Causes::found_met(const void* condition) {
  if (!keeps_all_) return;
  const auto found = tables_->set.find(condition);
  if (found == tables_->set.end()) return;
  const Cause met = found->second;
  current_ = latest(current_, met);
}

void Causes::waits(const void* event) {
  if (!keeps_all_) return;
  const std::uint32_t now = current_.id();
  if (now != 0) retain(now);
  if (const std::uint32_t before = now != 0 ? tables_->waiting.put(event, now) : tables_->waiting.take(event);
      before != 0)
    release(before);
}

// Drops the causes that weren't last.
void Causes::keep_only_last() {
  keeps_all_ = false;
  for (const Order& order : std::exchange(orders_, {})) {
    release(order.first);
    release(order.second);
  }
  for (const std::vector<std::uint32_t>& kind : std::exchange(came_, {})) {
    for (const std::uint32_t last : kind) {
      if (last != 0) release(last);
    }
  }
  tables_->set = {};
  for (const std::uint32_t waits : std::exchange(tables_->waiting, {}).numbers()) release(waits);
  for (std::uint32_t id = 0; id < size_; ++id) {
    if (record(id).moment.other != 0) release(std::exchange(record(id).moment.other, 0));
    record(id).moment.stepped = false;
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

const Causes::Line& Causes::line(std::uint32_t number) const { return tables_->lines[number]; }

std::uint32_t Causes::line(const Line& at) {
  const auto is_it = [&](const Line& known) {
    return known.line == at.line && std::strcmp(known.file, at.file) == 0;
  };
  const auto known = std::ranges::find_if(tables_->lines.begin() + 1, tables_->lines.end(), is_it);
  if (known == tables_->lines.end())
    return tables_->lines.push_back(at), static_cast<std::uint32_t>(tables_->lines.size() - 1);
  return static_cast<std::uint32_t>(known - tables_->lines.begin());
}

void Causes::scheduled(const void* event, Time when) {
  Cause why = of(when);
  if (const std::uint32_t before = tables_->events.put(event, std::exchange(why.id_, 0)); before != 0)
      [[unlikely]]
    release(before);
}

// An event that wasn't noted sets a cause of its own, or has none.
void Causes::runs(const void* event) {
  if (stated_.id_ != 0) [[unlikely]]
    stated_ = {};
  const std::uint32_t found = tables_->events.take(event);
  const std::uint32_t before = std::exchange(current_.id_, found);
  current_.of_ = this;
  if (before != 0) release(before);
  if (!keeps_all_ || found == 0) return;
  const std::uint32_t waited = tables_->waiting.take(event);
  if (waited == 0) return;
  const Cause ready{*this, waited};
  current_ = latest(current_, ready);
}

void Causes::free(std::uint32_t id) {
  record(id).moment.parent = std::exchange(first_free_, id);
  ++free_;
}

// Also frees ancestors without other descendants.
void Causes::drop(std::uint32_t id) {
  std::vector<std::uint32_t> others;
  for (;;) {
    do {
      const std::uint32_t parent = record(id).moment.parent;
      if (const std::uint32_t other = std::exchange(record(id).moment.other, 0); other != 0)
        others.push_back(other);
      free(id);
      id = parent;
    } while (id != 0 && --record(id).references == 0);
    do {
      if (others.empty()) return;
      id = others.back();
      others.pop_back();
    } while (--record(id).references != 0);
  }
}

std::uint32_t Causes::allocate_slowly() {
  if (first_free_ == 0 && size_ >= room_) grow();
  if (first_free_ == 0) return static_cast<std::uint32_t>(size_++);
  --free_;
  return std::exchange(first_free_, record(first_free_).moment.parent);
}

// Called when no record is free.
void Causes::grow() {
  if (keeps_all_ && size_ > options_.all) keep_only_last();
  if (!keeps_all_ && free_ == 0 && size_ >= compress_at_) {
    compress();
    if (living() > compress_at_ / 2) compress_at_ *= 2;
  }
  if (free_ == 0) {
    if (size_ > options_.most) {
      const std::string many = fmt::format("more than {} causes are alive", options_.most);
      if (!options_.optional) throw LimitError{many + ": without --explain none are kept", {}};
      give_up(many);
    }
    if (size_ == chunks_.size() * kChunk) add_chunk();
  }
  set_room();
}

void Causes::add_chunk() {
  auto& chunks = tables_->chunks;
  chunks.push_back(std::make_unique_for_overwrite<std::byte[]>(kChunk * sizeof(Record)));
  chunks_.push_back(reinterpret_cast<Record*>(chunks.back().get()));
}

void Causes::set_room() {
  room_ = std::min(chunks_.size() * kChunk, keeps_all_ ? options_.all + 1 : compress_at_);
  room_ = std::min(room_, options_.most + 1);
}

// Only the last moment of a run may have other references: each of the others is held by the next one alone.
bool Causes::same_run(const Record& child, const Record& parent) const {
  const Moment& a = parent.moment;
  const Moment& b = child.moment;
  Why first = a.why;
  first.queued = true;
  if (parent.references != 1 || a.parent == 0 || !(b.why == first) || a.other != 0 || b.other != 0)
    return false;
  const Time before = record(a.parent).moment.at;
  return (b.at - a.at) * a.count == (a.at - before) * b.count;
}

void Causes::compress() {
  for (std::uint32_t id = 1; id < size_; ++id) {
    Record& last = record(id);
    if (last.references == 0) continue;
    while (last.moment.parent != 0 && same_run(last, record(last.moment.parent))) {
      const std::uint32_t gone = last.moment.parent;
      Record& before = record(gone);
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
