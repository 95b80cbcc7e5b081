#include "kbsim/sim/moments.hpp"

#include <utility>
#include <vector>

namespace kbsim {

struct Moments::Chunks {
  std::vector<std::unique_ptr<std::byte[]>> memory;
  std::vector<Record*> first;  // of each
};

Moments::Moments() : memory_{std::make_unique<Chunks>()} {
  allocate_more();
  put(0, 0, {});
  ++size_;
}

Moments::~Moments() = default;

std::size_t Moments::allocated() const { return memory_->first.size() * kChunk; }

void Moments::allocate_more() {
  auto& memory = memory_->memory;
  memory.push_back(std::make_unique_for_overwrite<std::byte[]>(kChunk * sizeof(Record)));
  memory_->first.push_back(reinterpret_cast<Record*>(memory.back().get()));
  chunks_ = memory_->first.data();
}

std::uint32_t Moments::take_free() {
  --free_;
  ++made_;
  return std::exchange(first_free_, place(first_free_)->moment.parent);
}

void Moments::set_free(std::uint32_t id) {
  place(id)->moment.parent = std::exchange(first_free_, id);
  ++free_;
}

// Also frees ancestors without other descendants.
void Moments::drop(std::uint32_t id) {
  std::vector<std::uint32_t> others;
  for (;;) {
    do {
      Moment& moment = place(id)->moment;
      const std::uint32_t parent = moment.parent;
      if (const std::uint32_t other = std::exchange(moment.other, 0); other != 0) others.push_back(other);
      set_free(id);
      id = parent;
    } while (id != 0 && --place(id)->references == 0);
    do {
      if (others.empty()) return;
      id = others.back();
      others.pop_back();
    } while (--place(id)->references != 0);
  }
}

void Moments::forget_others() {
  for (std::uint32_t id = 0; id < size_; ++id) {
    Moment& moment = place(id)->moment;
    if (moment.other != 0) release(std::exchange(moment.other, 0));
    moment.stepped = false;
  }
}

// Only the last moment of a run may have other references: each of the others is held by the next one alone.
bool Moments::same_run(const Record& child, const Record& parent) const {
  const Moment& a = parent.moment;
  const Moment& b = child.moment;
  Why first = a.why;
  first.queued = true;
  if (parent.references != 1 || a.parent == 0 || !(b.why == first) || a.other != 0 || b.other != 0)
    return false;
  const Time before = place(a.parent)->moment.at;
  return (b.at - a.at) * a.count == (a.at - before) * b.count;
}

void Moments::compress() {
  for (std::uint32_t id = 1; id < size_; ++id) {
    Record& last = *place(id);
    if (last.references == 0) continue;
    while (last.moment.parent != 0 && same_run(last, *place(last.moment.parent))) {
      const std::uint32_t gone = last.moment.parent;
      Record& before = *place(gone);
      last.moment.parent = before.moment.parent;
      last.moment.count += before.moment.count;
      last.moment.tied = last.moment.tied || before.moment.tied;
      last.moment.why.queued = before.moment.why.queued;
      before.references = 0;
      set_free(gone);
    }
  }
}

}  // namespace kbsim
