// The master's answers to its workers' lines.
#include <utility>

#include "kbsim/base/say.hpp"

#include "master.hpp"
#include "rank_lines.hpp"

namespace kbsim::sweep {

void Master::hear(PoolWorker& worker, std::string_view line) {
  if (line.starts_with(kKey)) return decide(worker, std::string{line.substr(kKey.size())});
  if (line.starts_with(kOwn)) return owned(worker, std::string{line.substr(kOwn.size())});
  if (line.starts_with(kLacks)) {
    worker.lacks = line.substr(kLacks.size());
    return;
  }
  if (line.starts_with(kHangs)) {
    worker.hangs = line.substr(kHangs.size());
    return kbsim::say("kbsim: {}: {}\n", job_.requests[*worker.point], worker.hangs);
  }
  if (line.starts_with(kStopFor)) return stops(worker, std::string{line.substr(kStopFor.size())});
  done(worker, line);
}

void Master::stops(PoolWorker& worker, const std::string& why) {
  outcomes_.stop_for(why);
  worker.point.reset();
  if (worker.ahead) begins(worker, *std::exchange(worker.ahead, std::nullopt), mode_);
  hand_out();
}

// Only one of equal points runs.
void Master::decide(PoolWorker& worker, const std::string& key) {
  if (job_.claims != nullptr) (void)job_.claims->claim(key);  // from another host
  const Record* known = cache_.of_key(key);
  const bool runs = (known == nullptr || !stands(*known, job_.options)) && keys_.insert(key).second;
  worker.key = key;
  worker.simulates = runs;
  pool_.say(worker, runs ? "go" : "skip");
}

void Master::owned(PoolWorker& worker, const std::string& key) {
  worker.key = key;
  worker.simulates = true;
  keys_.insert(key);
}

void Master::forget_key(const PoolWorker& worker) {
  if (worker.simulates) keys_.erase(worker.key);
}

}  // namespace kbsim::sweep
