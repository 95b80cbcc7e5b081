#include "file_graph.hpp"

#include <fmt/format.h>

namespace kbsim::oplog {
namespace {

std::string slice_fault(const OpLog& log, const Slice& slice) {
  const Op* const made_by = log.find(slice.value);
  if (made_by == nullptr) return fmt::format("value {} isn't recorded", to_string(slice.value));
  const std::int64_t size = made_by->shape.bytes(made_by->dtype).count();
  if (slice.offset <= size && slice.bytes <= size - slice.offset) return "";
  return fmt::format("{} bytes at {} of value {}, which has {}", slice.bytes, slice.offset,
                     to_string(slice.value), size);
}

enum class Mark : char { unseen, open, done };

/// Goes from operations to those whose values they read, each once.
class Walk {
 public:
  explicit Walk(const OpLog& log) : log_{log} {
    for (std::uint32_t lane = 0; lane < log.lanes(); ++lane) marks_.emplace_back(log.ops(lane).size());
  }

  /// The id of an operation that needs itself, among what `id` needs; invalid if there is none.
  ValueId circle_from(const ValueId& id) {
    if (mark(id) == Mark::unseen) open(id);
    while (!path_.empty()) {
      Place& place = path_.back();
      const Slice* const slice = next(place);
      if (slice == nullptr) {
        mark(place.op->id) = Mark::done;
        path_.pop_back();
      } else if (slice->value.valid()) {
        if (mark(slice->value) == Mark::open) return slice->value;
        if (mark(slice->value) == Mark::unseen) open(slice->value);
      }
    }
    return {};
  }

 private:
  struct Place {
    const Op* op;
    std::size_t input = 0;
    std::size_t slice = 0;
  };

  Mark& mark(const ValueId& id) { return marks_[id.lane][id.seq]; }
  void open(const ValueId& id) {
    mark(id) = Mark::open;
    path_.push_back({.op = log_.find(id)});
  }
  static const Slice* next(Place& place) {
    for (; place.input < place.op->inputs.size(); ++place.input, place.slice = 0) {
      const Slices& slices = place.op->inputs[place.input].slices;
      if (place.slice < slices.size()) return &slices[place.slice++];
    }
    return nullptr;
  }

  const OpLog& log_;
  std::vector<std::vector<Mark>> marks_;
  std::vector<Place> path_;
};

template <class Visit>
void for_each_op(const OpLog& log, const Visit& visit) {
  for (std::uint32_t lane = 0; lane < log.lanes(); ++lane) {
    for (const Op& op : log.ops(lane)) {
      if (op.id.valid()) visit(op);
    }
  }
}

}  // namespace

void check_graph(const OpLog& log,
                 const std::function<void(const ValueId& id, const std::string& text)>& report) {
  for_each_op(log, [&](const Op& op) {
    for (const Operand& input : op.inputs) {
      for (const Slice& slice : input.slices) {
        if (!slice.value.valid()) continue;
        if (const std::string text = slice_fault(log, slice); !text.empty()) {
          report(op.id, log.describe(op) + " reads what isn't there: " + text);
        }
      }
    }
  });
  Walk walk{log};
  for_each_op(log, [&](const Op& op) {
    const ValueId circle = walk.circle_from(op.id);
    if (circle.valid()) report(circle, log.describe(*log.find(circle)) + " needs its own result");
  });
}

}  // namespace kbsim::oplog
