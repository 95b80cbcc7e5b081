#include "folder_claim.hpp"

#include <algorithm>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/unwritable.hpp"
#include "kbsim/sweep/records.hpp"
#include "kbsim/sweep/tables.hpp"

namespace kbsim::sweep {
namespace {

namespace fs = std::filesystem;
using report::FolderLock;

fs::path made(const fs::path& folder) {
  report::require_folder("--out", folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UsageError{fmt::format("--out: {}: {}", folder.string(), why_unwritable(folder, error))};
  return folder;
}

fs::path part_of(const fs::path& out, std::string shard) {
  std::ranges::replace(shard, '/', '-');
  return out / "shards" / shard;
}

// One process at a time looks at a folder's locks and plan. The lock is held only for a moment: others wait
// for it.
class Turn {
 public:
  explicit Turn(const fs::path& folder)
      : descriptor_{open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)} {
    if (descriptor_ >= 0) (void)flock(descriptor_, LOCK_EX);
  }
  ~Turn() {
    if (descriptor_ >= 0) (void)close(descriptor_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  int descriptor_;
};

}  // namespace

FolderClaim::FolderClaim(const fs::path& out, const std::string& shard, const Plan& plan,
                         const std::vector<std::string>& requests) {
  report::require_folder("--out", out);
  const fs::path records = made(records_folder(out));
  const Turn turn{records};
  if (shard.empty()) {
    running_ = std::make_unique<FolderLock>(records);
    whole_ = std::make_unique<report::OutputFolder>(out);
    (void)write_plan(out, plan, requests);
    return;
  }
  part_ = std::make_unique<FolderLock>(made(part_of(out, shard)));
  running_ = std::make_unique<FolderLock>(records, FolderLock::Mode::shared);
  if (has_plan(out, plan, requests)) return;
  running_.reset();
  {
    const FolderLock alone{records};  // refused while shards of another plan run
    (void)write_plan(out, plan, requests);
  }
  running_ = std::make_unique<FolderLock>(records, FolderLock::Mode::shared);
}

}  // namespace kbsim::sweep
