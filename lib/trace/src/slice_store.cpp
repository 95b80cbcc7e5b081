#include "kbsim/trace/slice_store.hpp"

#include <algorithm>
#include <cerrno>
#include <queue>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::trace {
namespace {

static_assert(std::is_trivially_copyable_v<Slice>);

[[noreturn]] void fail(const char* what) {
  throw UsageError{fmt::format("can't {} the temporary file of a trace's slices: {}", what,
                               std::error_code{errno, std::generic_category()}.message())};
}

}  // namespace

// Reads its slices of the file a few at a time.
struct SliceStore::Run {
  std::FILE* file = nullptr;
  std::uint64_t next = 0;  // to be read
  std::uint64_t end = 0;
  std::vector<Slice> read = {};
  std::size_t at = 0;

  [[nodiscard]] const Slice& front() const { return read[at]; }
  /// False if there is no other.
  bool advance() {
    if (++at < read.size()) return true;
    constexpr std::uint64_t kAtOnce = 512;
    read.resize(std::min(kAtOnce, end - next));
    at = 0;
    if (read.empty()) return false;
    if (fseeko(file, static_cast<off_t>(next * sizeof(Slice)), SEEK_SET) != 0 ||
        std::fread(read.data(), sizeof(Slice), read.size(), file) != read.size())
      fail("read");
    next += read.size();
    return true;
  }
};

void SliceStore::add(const Slice& slice) {
  if (buffer_.size() == in_memory_) spill();
  buffer_.push_back(slice);
}

void SliceStore::spill() {
  std::ranges::sort(buffer_);
  if (!file_) file_.reset(std::tmpfile());
  if (!file_) fail("make");
  if (fseeko(file_.get(), 0, SEEK_END) != 0 ||
      std::fwrite(buffer_.data(), sizeof(Slice), buffer_.size(), file_.get()) != buffer_.size() ||
      std::fflush(file_.get()) != 0)
    fail("write");
  written_ += buffer_.size();
  ends_.push_back(written_);
  buffer_.clear();
}

void SliceStore::for_each(const std::function<void(const Slice&)>& visit) {
  if (written_ > 0) return merge(visit);
  std::ranges::sort(buffer_);
  for (const Slice& slice : buffer_) visit(slice);
}

void SliceStore::merge(const std::function<void(const Slice&)>& visit) {
  if (!buffer_.empty()) spill();
  std::vector<Run> runs;
  for (std::uint64_t first = 0; const std::uint64_t end : ends_)
    runs.push_back({.file = file_.get(), .next = std::exchange(first, end), .end = end});
  const auto later = [](const Run* a, const Run* b) { return b->front() < a->front(); };
  std::priority_queue<Run*, std::vector<Run*>, decltype(later)> by_front{later};
  for (Run& run : runs) {
    if (run.advance()) by_front.push(&run);
  }
  while (!by_front.empty()) {
    Run* const least = by_front.top();
    by_front.pop();
    visit(least->front());
    if (least->advance()) by_front.push(least);
  }
}

}  // namespace kbsim::trace
