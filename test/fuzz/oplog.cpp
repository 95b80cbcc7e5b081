// Whatever the bytes, an op log is read whole or refused; a log that is read can be written and replayed.
#include <cstdlib>
#include <span>

#include <boost/crc.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/oplog/file.hpp"
#include "kbsim/replay/replay.hpp"

#include "../oplog/sealed.hpp"

namespace {

using kbsim::oplog::Op;
using kbsim::oplog::OpLog;

// Large values are legal; a fuzzer would do nothing but fill them.
bool is_small(const OpLog& log) {
  constexpr std::int64_t kMost = 1 << 12;
  for (std::uint32_t lane = 0; lane < log.lanes(); ++lane) {
    for (const Op& op : log.ops(lane)) {
      if (op.id.valid() && op.shape.bytes(op.dtype).count() > kMost) return false;
    }
  }
  return true;
}

void replay(const OpLog& log) {
  try {
    kbsim::replay::Replay replay{log, 1};
    (void)replay.run();
  } catch (const kbsim::KernelFault&) {  // a division by zero
  } catch (const kbsim::Unsupported&) {}
}

}  // namespace

// The checksums are made right; else every change would be refused for them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = kbsim::test::sealed({reinterpret_cast<const char*>(data), size});
  try {
    const OpLog log = kbsim::oplog::decode(std::as_bytes(std::span{file}), "fuzz");
    const std::string again = kbsim::oplog::encode(log);
    const OpLog back = kbsim::oplog::decode(std::as_bytes(std::span{again}), "again");
    if (back.digest().value() != log.digest().value()) std::abort();
    if (is_small(log)) replay(log);
  } catch (const kbsim::UsageError&) {}
  return 0;
}
