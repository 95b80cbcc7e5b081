#include "kbsim/inputs/noc/noc_trace.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/inputs/text.hpp"

#include "event_reader.hpp"

namespace kbsim::inputs {
namespace {

using topology::NocSpot;

constexpr std::size_t kMostSections = 640;
constexpr std::size_t kMostTypes = 64;
constexpr std::uint64_t kLooks = 4096;  // events between two checks for signals

// Opening a pipe would wait for its writer.
void require_file(const std::filesystem::path& file) {
  if (const std::string why = why_unreadable(file); !why.empty())
    throw UsageError{fmt::format("{}: {}", file.string(), why)};
  if (!std::filesystem::is_regular_file(file))
    throw UsageError{fmt::format("{}: is read twice, expected a file", file.string())};
}

class Opener {
 public:
  Opener(const std::filesystem::path& file, const NocExtent& extent, std::size_t most_stretches)
      : objects_{(require_file(file), file)}, extent_{extent}, most_stretches_{most_stretches} {
    trace_.file = file;
  }

  NocTrace read() && {
    objects_.open_array();
    for (std::uint64_t i = 0; objects_.next(); ++i) {
      if (i % kLooks == 0 && stop_signal() != 0)
        throw Interrupted{fmt::format("interrupted while {} was read", trace_.file.string())};
      add(read_noc_event(objects_, extent_));
    }
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
    ++open.section.events;
    std::vector<NocSection::Range>& ranges = open.section.ranges;
    if (current_ != &open) {
      ranges.push_back({.begin = objects_.begin(), .end = 0});
      ++stretches_;
    }
    ranges.back().end = objects_.end();
    current_ = &open;
    if (stretches_ > most_stretches_) join_neighbours();
  }

  // Joined ranges take longer to read again, but limit the memory.
  void join_neighbours() {
    stretches_ = 0;
    for (auto& [name, open] : open_) {
      std::vector<NocSection::Range>& ranges = open.section.ranges;
      const std::size_t joined = (ranges.size() + 1) / 2;
      for (std::size_t i = 0; i < joined; ++i)
        ranges[i] = {.begin = ranges[2 * i].begin, .end = ranges[std::min(2 * i + 1, ranges.size() - 1)].end};
      ranges.resize(joined);
      stretches_ += joined;
    }
  }

  void check_chip(const NocRecord& record) {
    if (!record.chip) return;
    if (!chip_) chip_ = record.chip;
    if (chip_ == record.chip) return;
    throw Unsupported{fmt::format("{}: an event of chip {} after those of chip {}: traces of one chip only",
                                  to_string(objects_.place()), *record.chip, *chip_)};
  }

  void leave_out(const NocRecord& record) {
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
    if (fresh) at->second.section = {.core = record.core, .processor = record.processor};
    if (open_.size() > kMostSections)
      throw InputError{objects_.place(), fmt::format("more than {} processors", kMostSections)};
    return at->second;
  }

  NocObjects objects_;
  const NocExtent& extent_;
  NocTrace trace_;
  std::size_t most_stretches_;
  std::size_t stretches_ = 0;  // of all processors
  std::map<Name, Open> open_;
  Open* current_ = nullptr;
  std::optional<std::int64_t> chip_;
  std::int64_t first_ = 0;
};

}  // namespace

NocTrace NocTrace::open(const std::filesystem::path& file, const NocExtent& extent,
                        std::size_t most_stretches) {
  return Opener{file, extent, most_stretches}.read();
}

struct NocCursor::State {
  State(const NocTrace& trace, const NocSection& of, const NocExtent& grid)
      : objects{trace.file}, name{trace.file.string()}, section{of}, extent{grid}, first{trace.first_cycle} {}

  // The next event of the section in its ranges.
  std::optional<topology::NocEvent> find() {
    for (; range < section.ranges.size(); ++range, within = false) {
      if (!within) objects.seek(section.ranges[range].begin);
      within = true;
      while (objects.next(section.ranges[range].end)) {
        NocRecord record = read_noc_event(objects, extent);
        const bool own = record.core == section.core && record.processor == section.processor;
        if (record.event && own) return record.event;
      }
    }
    return std::nullopt;
  }

  [[noreturn]] void refuse_changed() const { throw UsageError{name + ": has changed while it was read"}; }

  NocObjects objects;
  std::string name;
  const NocSection& section;
  NocExtent extent;
  std::int64_t first = 0;
  std::int64_t last = 0;  // cycle
  std::uint64_t given = 0;
  std::size_t range = 0;
  bool within = false;
};

NocCursor::NocCursor(const NocTrace& trace, const NocSection& section, const NocExtent& extent)
    : state_{std::make_unique<State>(trace, section, extent)} {}
NocCursor::~NocCursor() = default;
NocCursor::NocCursor(NocCursor&&) noexcept = default;

std::optional<topology::NocEvent> NocCursor::next() {
  State& s = *state_;
  std::optional<topology::NocEvent> event;
  try {
    event = s.find();
  } catch (const InputError&) {
    s.refuse_changed();  // everything read was checked before
  }
  if (!event) {
    if (s.given != s.section.events) s.refuse_changed();
    return std::nullopt;
  }
  event->cycle -= s.first;
  if (event->cycle < s.last || ++s.given > s.section.events) s.refuse_changed();
  s.last = event->cycle;
  return event;
}

}  // namespace kbsim::inputs
