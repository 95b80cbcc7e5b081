#include "kbsim/inputs/noc/trace.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/inputs/text.hpp"

#include "event_reader.hpp"

namespace kbsim::inputs {
namespace {

using topology::NocSpot;

constexpr std::size_t kMostSections = 640;
constexpr std::size_t kMostTypes = 64;

// To open a pipe would wait for whoever writes into it.
void require_file(const std::filesystem::path& file) {
  if (const std::string why = why_unreadable(file); !why.empty())
    throw UsageError{fmt::format("{}: {}", file.string(), why)};
  if (!std::filesystem::is_regular_file(file))
    throw UsageError{fmt::format("{}: is read twice, expected a file", file.string())};
}

class Opener {
 public:
  Opener(const std::filesystem::path& file, const NocExtent& extent)
      : objects_{(require_file(file), file)}, extent_{extent} {
    trace_.file = file;
  }

  NocTrace read() && {
    objects_.open_array();
    while (objects_.next()) add(read_noc_event(objects_, extent_));
    objects_.close_array();
    if (trace_.events == 0) throw UsageError{trace_.file.string() + ": has no events of a NOC"};
    for (auto& [name, open] : open_) trace_.sections.push_back(std::move(open.section));
    trace_.first_cycle = first_;
    return std::move(trace_);
  }

 private:
  using Name = std::tuple<int, int, std::string>;
  struct Open {
    NocSection section;
    std::int64_t last = 0;
  };

  void add(const NocRecord& record) {
    check_chip(record);
    if (!record.event) return leave_out(record);
    Open& open = section(record);
    const std::int64_t cycle = record.event->cycle;
    if (cycle < open.last)
      throw InputError{objects_.place(),
                       fmt::format("timestamp {} is before that of the processor's event before it ({})",
                                   cycle, open.last)};
    open.last = cycle;
    first_ = trace_.events == 0 ? cycle : std::min(first_, cycle);
    ++trace_.events;
    std::vector<NocSection::Range>& ranges = open.section.ranges;
    if (ranges.empty() || current_ != &open) ranges.push_back({.begin = objects_.begin(), .end = 0});
    ranges.back().end = objects_.end();
    current_ = &open;
  }

  void check_chip(const NocRecord& record) {
    if (!record.chip) return;
    if (!chip_) chip_ = record.chip;
    if (chip_ == record.chip) return;
    throw Unsupported{fmt::format("{}: an event of chip {} after those of chip {}: traces of one chip only",
                                  to_string(objects_.place()), *record.chip, *chip_)};
  }

  void leave_out(const NocRecord& record) {
    current_ = nullptr;  // what it stands between are two ranges
    if (record.type.empty()) {
      ++trace_.zones;
      return;
    }
    const bool known = trace_.left_out.contains(record.type) || trace_.left_out.size() < kMostTypes;
    ++trace_.left_out[known ? record.type : "others"];
  }

  Open& section(const NocRecord& record) {
    if (current_ != nullptr && current_->section.core == record.core &&
        current_->section.processor == record.processor)
      return *current_;
    const auto [at, fresh] = open_.try_emplace(Name{record.core.x, record.core.y, record.processor});
    if (fresh) at->second.section = {.core = record.core, .processor = record.processor, .ranges = {}};
    if (open_.size() > kMostSections)
      throw InputError{objects_.place(), fmt::format("more than {} processors", kMostSections)};
    return at->second;
  }

  NocObjects objects_;
  const NocExtent& extent_;
  NocTrace trace_;
  std::map<Name, Open> open_;
  Open* current_ = nullptr;
  std::optional<std::int64_t> chip_;
  std::int64_t first_ = 0;
};

}  // namespace

NocTrace NocTrace::open(const std::filesystem::path& file, const NocExtent& extent) {
  return Opener{file, extent}.read();
}

struct NocCursor::State {
  State(const NocTrace& trace, const NocSection& section, const NocExtent& extent)
      : objects{trace.file}, ranges{section.ranges}, extent{extent}, first{trace.first_cycle} {}

  NocObjects objects;
  std::vector<NocSection::Range> ranges;
  NocExtent extent;
  std::int64_t first = 0;
  std::size_t range = 0;
  bool within = false;
};

NocCursor::NocCursor(const NocTrace& trace, const NocSection& section, const NocExtent& extent)
    : state_{std::make_unique<State>(trace, section, extent)} {}
NocCursor::~NocCursor() = default;
NocCursor::NocCursor(NocCursor&&) noexcept = default;

std::optional<topology::NocEvent> NocCursor::next() {
  State& s = *state_;
  while (s.range < s.ranges.size()) {
    const NocSection::Range& range = s.ranges[s.range];
    if (!s.within) s.objects.seek(range.begin);
    s.within = true;
    if (s.objects.next(range.end)) {
      std::optional<topology::NocEvent> event = read_noc_event(s.objects, s.extent).event;
      if (!event) throw UsageError{"a trace has changed while it was read"};
      event->cycle -= s.first;
      return event;
    }
    s.within = false;
    ++s.range;
  }
  return std::nullopt;
}

}  // namespace kbsim::inputs
