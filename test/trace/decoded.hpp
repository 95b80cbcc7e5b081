// An independent reader of Perfetto traces, which shares no code with the writer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kbsim::test {

/// A slice or an instant, as events of its track say.
struct DecodedSlice {
  std::string path;  // of its track, from the top
  std::string name;
  std::string category;
  std::uint64_t begin = 0;  // as written
  std::uint64_t end = 0;
  std::size_t depth = 0;  // slices of its track around it
  bool instant = false;
  std::map<std::string, std::string> notes = {};
  std::vector<std::uint64_t> flows = {};
  std::vector<std::uint64_t> ended_flows = {};
};

struct DecodedCount {
  std::uint64_t at = 0;
  double value = 0.0;
};

struct Decoded {
  std::string title;
  std::vector<DecodedSlice> slices;                         // as they begin
  std::map<std::string, std::vector<DecodedCount>> counts;  // by path
  std::map<std::string, int> orders;                        // of tracks among their siblings

  [[nodiscard]] const DecodedSlice& slice(const std::string& name) const;
};

/// The contents of a file. Fails the test if the bytes are no trace, an event names a missing object, or
/// slices don't nest.
[[nodiscard]] Decoded decoded(const std::string& bytes);

}  // namespace kbsim::test
