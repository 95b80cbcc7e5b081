#pragma once

#include <filesystem>

namespace kbsim::report {

/// Keeps a folder to one run at a time, or to those that share it: a lock of the operating system on a file
/// in it, which goes with the process, however that ends. UsageError naming the other process if there is
/// one, or if nothing can be written in the folder. Files that a killed run had half written there go.
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
