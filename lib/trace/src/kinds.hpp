#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "kbsim/trace/slice.hpp"

namespace kbsim::trace {

/// The words of formats for a kind of slice.
struct KindRow {
  SliceKind kind;
  std::string_view category;  // Perfetto's
  std::string_view kineto;    // its word for a similar event
  std::string_view color;     // in pictures
};
inline constexpr auto kKinds = std::to_array<KindRow>({
    {SliceKind::program, "program", "user_annotation", "#d9d9d9"},
    {SliceKind::host_range, "range", "user_annotation", "#fee6ce"},
    {SliceKind::call, "call", "cpu_op", "#9ecae1"},
    {SliceKind::collective, "collective", "cpu_op", "#3182bd"},
    {SliceKind::phase, "phase", "user_annotation", "#c6dbef"},
    {SliceKind::order, "order", "cuda_runtime", "#bcbddc"},
    {SliceKind::launch, "launch", "cuda_runtime", "#756bb1"},
    {SliceKind::kernel, "kernel", "kernel", "#74c476"},
    {SliceKind::collective_kernel, "kernel", "kernel", "#41ab5d"},
    {SliceKind::range, "range", "gpu_user_annotation", "#fdd0a2"},
    {SliceKind::wait, "wait", "wait", "#fc9272"},
    {SliceKind::issue, "issue", "issue", "#006d2c"},
    {SliceKind::work, "engine", "engine", "#e6550d"},
    {SliceKind::transfer, "dma", "gpu_memcpy", "#6baed6"},
    {SliceKind::send, "queue", "queue", "#fdae6b"},
    {SliceKind::receive, "queue", "queue", "#fa9fb5"},
    {SliceKind::port, "memory", "memory", "#8c6d31"},
    {SliceKind::link, "link", "link", "#637939"},
});
static_assert([] {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (static_cast<std::size_t>(kKinds[i].kind) != i) return false;
  }
  return true;
}());

[[nodiscard]] constexpr const KindRow& row_of(SliceKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

}  // namespace kbsim::trace
