#include "kbsim/tl/queue_matcher.hpp"

#include <fmt/format.h>

namespace kbsim {

KernelFault mismatch(const std::source_location& recv, std::string_view direction, const QueueItem& asked,
                     const QueueItem& sent) {
  return KernelFault{
      fmt::format("{}: recv from '{}' expects {} {} with tag {}, but {} {} with tag {} was sent",
                  to_string(to_place(recv)), direction, to_string(asked.shape), to_string(asked.dtype),
                  asked.tag, to_string(sent.shape), to_string(sent.dtype), sent.tag)};
}

}  // namespace kbsim
