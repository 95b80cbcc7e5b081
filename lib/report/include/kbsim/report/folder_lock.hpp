#pragma once

#include <filesystem>

namespace kbsim::report {

/// Reserves a folder for one run at a time, or for runs that share it, by an operating system's lock on a
/// file in it. The lock ends with the process in any case. UsageError naming the other process if there is
/// one, or if the folder isn't writable. Half-written files of a killed run are removed.
class FolderLock {
 public:
  enum class Mode { alone, shared };
  explicit FolderLock(const std::filesystem::path& folder, Mode mode = Mode::alone);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace kbsim::report
