#include "kbsim/trace/slice_store.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <queue>
#include <random>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::trace {
namespace {

static_assert(std::is_trivially_copyable_v<Slice>);

std::filesystem::path temporary_folder() {
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path(error);  // $TMPDIR, if it is there
  return error ? std::filesystem::path{"/tmp"} : folder;
}

std::string why(const char* what) {
  const int error = errno;
  return fmt::format("can't {} the temporary file of a trace's slices in {}: {}; TMPDIR names another folder",
                     what, temporary_folder().string(),
                     std::error_code{error, std::generic_category()}.message());
}

// The file has no name, so it ends with the process.
std::FILE* temporary_file() {
  std::random_device random;
  const std::filesystem::path name =
      temporary_folder() / fmt::format("kbsim-trace-{:08x}{:08x}", random(), random());
  std::FILE* const file = std::fopen(name.c_str(), "w+bxe");  // a new one
  std::error_code ignored;
  if (file != nullptr) std::filesystem::remove(name, ignored);
  return file;
}

}  // namespace

// Reads its slices of the file a few at a time.
struct SliceStore::Run {
  std::FILE* file = nullptr;
  std::uint64_t next = 0;  // to be read next
  std::uint64_t end = 0;
  std::vector<Slice> read = {};
  std::size_t at = 0;

  [[nodiscard]] const Slice& front() const { return read[at]; }
  /// False if there is no further slice.
  bool advance() {
    if (++at < read.size()) return true;
    constexpr std::uint64_t kAtOnce = 512;
    read.resize(std::min(kAtOnce, end - next));
    at = 0;
    if (read.empty()) return false;
    if (fseeko(file, static_cast<off_t>(next * sizeof(Slice)), SEEK_SET) != 0 ||
        std::fread(read.data(), sizeof(Slice), read.size(), file) != read.size())
      throw UsageError{why("read")};
    next += read.size();
    return true;
  }
};

void SliceStore::add(const Slice& slice) {
  if (buffer_.size() == in_memory_) spill();
  buffer_.push_back(slice);
  is_sorted_ = false;
}

void SliceStore::spill() {
  if (lost_.empty() && !write_out()) lost_ = why("write");
  if (!lost_.empty()) file_.reset();  // its contents are incomplete
  buffer_.clear();
}

bool SliceStore::write_out() {
  std::ranges::sort(buffer_);
  if (!file_) file_.reset(temporary_file());
  if (!file_ || fseeko(file_.get(), 0, SEEK_END) != 0 ||
      std::fwrite(buffer_.data(), sizeof(Slice), buffer_.size(), file_.get()) != buffer_.size() ||
      std::fflush(file_.get()) != 0)
    return false;
  written_ += buffer_.size();
  ends_.push_back(written_);
  return true;
}

void SliceStore::for_each(const std::function<void(const Slice&)>& visit) {
  if (written_ > 0 && lost_.empty()) return merge(visit);
  if (!lost_.empty()) throw UsageError{lost_};
  if (!std::exchange(is_sorted_, true)) std::ranges::sort(buffer_);
  for (const Slice& slice : buffer_) visit(slice);
}

void SliceStore::merge(const std::function<void(const Slice&)>& visit) {
  if (!buffer_.empty()) spill();
  if (!lost_.empty()) throw UsageError{lost_};
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
