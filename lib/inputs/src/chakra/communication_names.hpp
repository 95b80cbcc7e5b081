#pragma once

#include <string_view>

#include "forms.hpp"

namespace kbsim::inputs::chakra {

/// A call noted by PyTorch's profiler beside the communication: record_param_comms.
[[nodiscard]] bool is_note_of_call(std::string_view node);
/// A kernel of NCCL or RCCL: ncclDevKernel_AllReduce_Sum_f32_RING_LL, ncclKernel_SendRecv, rcclGenericKernel.
[[nodiscard]] bool is_communication_kernel(std::string_view node);
/// The collective of such a kernel; none for sends and receives, and for a name that doesn't include it.
[[nodiscard]] const Form* form_of_kernel(std::string_view node);
/// A call of NCCL on the CPU: nccl:all_reduce.
[[nodiscard]] bool is_nccl_call(std::string_view node);

}  // namespace kbsim::inputs::chakra
