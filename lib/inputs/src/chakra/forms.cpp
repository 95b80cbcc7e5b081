#include "forms.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/names.hpp"

#include "../cells.hpp"
#include "../msccl/shown.hpp"

namespace kbsim::inputs::chakra {
namespace {

// In the order of Chakra's numbers.
constexpr std::array<Form, 10> kForms{
    {{.name = "ALL_REDUCE"},
     {.collective = config::Collective::reduce, .name = "REDUCE"},
     {.collective = config::Collective::all_gather, .name = "ALL_GATHER"},
     {.kind = CommunicationKind::gather, .name = "GATHER"},
     {.kind = CommunicationKind::scatter, .name = "SCATTER"},
     {.collective = config::Collective::broadcast, .name = "BROADCAST"},
     {.collective = config::Collective::all_to_all, .name = "ALL_TO_ALL"},
     {.collective = config::Collective::reduce_scatter, .name = "REDUCE_SCATTER"},
     {.collective = config::Collective::reduce_scatter, .name = "REDUCE_SCATTER_BLOCK"},
     {.kind = CommunicationKind::barrier, .name = "BARRIER"}}};

// Reduces a name to its small letters: after "nccl:" or "CollectiveCommType.", before "(0)", and without
// PyTorch's words for the form of tensors: _allgather_base, reduce_scatter_tensor_coalesced,
// all_to_all_single.
std::string letters_of(std::string_view name) {
  constexpr auto kWays =
      std::to_array<std::string_view>({"coalesced", "base", "intotensor", "tensor", "single"});
  name = name.substr(0, name.find('('));
  name.remove_prefix(name.find_last_of(":.") + 1);
  std::string letters = lower(name);
  std::erase_if(letters, [](char c) { return c == '_' || c == '-' || c == ' '; });
  for (auto way = kWays.begin(); way != kWays.end();) {
    const bool has = letters.ends_with(*way);
    if (has) letters.resize(letters.size() - way->size());
    way = has ? kWays.begin() : way + 1;
  }
  return letters;
}

}  // namespace

const Form* form_numbered(std::int64_t number) {
  return number < 0 || number >= std::ssize(kForms) ? nullptr : &kForms.at(static_cast<std::size_t>(number));
}

const Form* form_named(std::string_view name) {
  const std::string letters = letters_of(name);
  const auto found =
      std::ranges::find_if(kForms, [&](const Form& form) { return letters_of(form.name) == letters; });
  return found == kForms.end() ? nullptr : &*found;
}

std::string unknown_form(std::string_view name) {
  std::vector<std::string> names;
  for (const Form& form : kForms) names.emplace_back(form.name);
  const std::string shown = msccl::shown(name);
  return fmt::format("comm_type is '{}', expected 0 to {} or a collective's name{}", shown, kForms.size() - 1,
                     name_hint(shown, names));
}

}  // namespace kbsim::inputs::chakra
