#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/topology/noc_event.hpp"

namespace kbsim::inputs {

/// The extent of a chip's cores in a trace.
struct NocExtent {
  int w = 1;
  int h = 1;
  int layers = 1;
};

/// The events of one processor of one core: stretches of the file, which may contain other processors'
/// events.
struct NocSection {
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  topology::NocSpot core;
  std::string processor;
  std::vector<Range> ranges;
  std::uint64_t events = 0;
};

/// A recorded NOC trace: a JSON array of events. open() reads it once, checks each event, and keeps the
/// places of each processor's events: one stretch per change of processor. Beyond kMostStretches, neighbours
/// are merged. UsageError if the file can't be read again, as a pipe; InputError with line and column;
/// Unsupported if it has several chips.
struct NocTrace {
  static constexpr std::size_t kMostStretches = std::size_t{1} << 20;
  [[nodiscard]] static NocTrace open(const std::filesystem::path& file, const NocExtent& extent,
                                     std::size_t most_stretches = kMostStretches);

  std::filesystem::path file;
  std::vector<NocSection> sections;               // by core and processor
  std::int64_t first_cycle = 0;                   // the least timestamp
  std::uint64_t events = 0;                       // of sections
  std::uint64_t zones = 0;                        // begins and ends of zones, without requests to the NOC
  std::map<std::string, std::uint64_t> left_out;  // events of other types, by type
};

/// Returns a section's events in the order of their timestamps, reading the file again piece by piece. The
/// section must outlive it.
class NocCursor {
 public:
  NocCursor(const NocTrace& trace, const NocSection& section, const NocExtent& extent);
  ~NocCursor();
  NocCursor(NocCursor&&) noexcept;
  NocCursor(const NocCursor&) = delete;
  NocCursor& operator=(const NocCursor&) = delete;
  NocCursor& operator=(NocCursor&&) = delete;
  /// UsageError if the file has changed.
  [[nodiscard]] std::optional<topology::NocEvent> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kbsim::inputs
