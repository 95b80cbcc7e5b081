#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/report/folder_lock.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/sweep/sweep_plan.hpp"

namespace kbsim::sweep {

/// A claim on a sweep's folder, which is made if it is missing, with the sweep's plan in it. A whole sweep
/// has it alone; shards of one plan share it, each with its own part. UsageError while others have it:
/// another sweep, shards of another plan, or the same shard.
class FolderClaim {
 public:
  FolderClaim(const std::filesystem::path& out, const std::string& shard, const Plan& plan,
              const std::vector<std::string>& requests);

  /// To write tables into; nullptr of a shard.
  [[nodiscard]] const report::OutputFolder* folder() const { return whole_.get(); }

 private:
  std::unique_ptr<report::FolderLock> part_;
  std::unique_ptr<report::FolderLock> running_;  // of the records: tables may be merged beside shards
  std::unique_ptr<report::OutputFolder> whole_;
};

}  // namespace kbsim::sweep
