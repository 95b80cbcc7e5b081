#include "chakra_records.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "communication_names.hpp"
#include "forms.hpp"

namespace kbsim::inputs::chakra {
namespace {

using Optional = std::optional<std::int64_t>;

// Distinguishes communications of a rank, as far as a node states them.
struct Signature {
  NodeType type = NodeType::collective;
  std::string_view form;  // "": not stated
  std::string group;
  Optional bytes, source, destination, tag;

  friend auto operator<=>(const Signature&, const Signature&) = default;
};

std::string_view form_name(const Meaning& meaning, const std::string& node) {
  const Form* form = meaning.comm_type           ? form_numbered(*meaning.comm_type)
                     : meaning.comm_name.empty() ? form_named(node)
                                                 : form_named(meaning.comm_name);
  return form == nullptr ? std::string_view{} : form->name;
}

template <class Value>
bool agree(const Value& one, const Value& other, const Value& unstated = {}) {
  return one == unstated || other == unstated || one == other;
}

bool agree(const Signature& record, const Signature& work) {
  return record.type == work.type && agree(record.form, work.form) && agree(record.group, work.group) &&
         agree(record.bytes, work.bytes) && agree(record.source, work.source) &&
         agree(record.destination, work.destination) && agree(record.tag, work.tag);
}

/// Sorts the nodes of one rank into work and its records.
class Sorter {
 public:
  Sorter(Workload& work, std::uint32_t first, std::vector<Call>& calls)
      : work_{work}, first_{first}, calls_{calls} {}

  std::size_t run() {
    take_out([&](const Call& call) { return !on_cpu(call); });
    take_out([&](const Call& call) { return !is_note_of_call(item(call).name); });
    for (std::uint32_t at = first_; at < work_.items.size(); ++at) settle_computing(work_.items[at]);
    return records_;
  }

 private:
  [[nodiscard]] WorkItem& item(const Call& call) const { return work_.items[call.item]; }
  [[nodiscard]] bool on_cpu(const Call& call) const {
    return call.meaning.is_cpu_op || is_note_of_call(item(call).name);
  }

  [[nodiscard]] Signature signature_of(const Call& call) const {
    const Meaning& meaning = call.meaning;
    const bool collective = call.type == NodeType::collective;
    return {.type = call.type,
            .form = collective ? form_name(meaning, item(call).name) : std::string_view{},
            .group = meaning.group,
            .bytes = meaning.comm_size,
            .source = collective ? Optional{} : meaning.comm_src,
            .destination = collective ? Optional{} : meaning.comm_dst,
            .tag = meaning.comm_tag};
  }

  // Removes the calls that only record a call with `is_work`.
  template <class Predicate>
  void take_out(const Predicate& is_work) {
    std::set<Signature> known;
    std::map<std::uint32_t, Signature> by_item;
    for (const Call& call : calls_) {
      if (!is_work(call)) continue;
      known.insert(signature_of(call));
      by_item.emplace(call.item, signature_of(call));
    }
    const auto is_record = [&](const Call& call) {
      if (is_work(call)) return false;
      const Signature own = signature_of(call);
      return std::ranges::any_of(known, [&](const Signature& work) { return agree(own, work); }) ||
             begins(item(call), own, by_item);
    };
    std::erase_if(calls_, [&](const Call& call) {
      if (!is_record(call)) return false;
      make_record(item(call), WorkKind::cpu);
      return true;
    });
  }

  // Whether a dependent node has the same operation; the number of bytes may be known only on the device.
  static bool begins(const WorkItem& node, const Signature& own,
                     const std::map<std::uint32_t, Signature>& by_item) {
    return std::ranges::any_of(node.next, [&](std::uint32_t next) {
      const auto found = by_item.find(next);
      if (found == by_item.end()) return false;
      const bool in_messages = own.form == "ALL_TO_ALL" && found->second.type != NodeType::collective;
      return in_messages || (found->second.type == own.type && agree(own.form, found->second.form));
    });
  }

  void make_record(WorkItem& node, WorkKind kind) {
    node.kind = kind;
    node.operations = node.bytes = 0;
    ++records_;
  }

  void settle_computing(WorkItem& node) {
    if (node.kind == WorkKind::device && is_communication_kernel(node.name)) {
      require_stated(node, form_of_kernel(node.name));
      make_record(node, WorkKind::nothing);
    } else if (node.kind == WorkKind::cpu && is_nccl_call(node.name)) {
      require_call_stated(node);
    } else if (node.kind == WorkKind::cpu && repeats(node)) {
      make_record(node, WorkKind::cpu);
    }
  }

  // Whether it repeats the operations of the device's node that it begins.
  [[nodiscard]] bool repeats(const WorkItem& node) const {
    if (node.duration_ps || (node.operations == 0 && node.bytes == 0)) return false;
    return std::ranges::any_of(node.next, [&](std::uint32_t next) {
      const WorkItem& other = work_.items[next];
      return other.kind == WorkKind::device && other.operations == node.operations &&
             other.bytes == node.bytes;
    });
  }

  // The number of kernels of a collective must not exceed the stated communications of its kind.
  void require_stated(const WorkItem& kernel, const Form* form) {
    const std::string name{form == nullptr ? std::string_view{} : form->name};
    if (++kernels_[name] <= stated(name)) return;
    throw Unsupported{fmt::format(
        "{}: a kernel of communication as COMP_NODE, and no COMM node of its rank states its kind and "
        "bytes",
        described(kernel))};
  }

  // Other collectives (a barrier, a gather) may run as kernels of another kind.
  void require_call_stated(const WorkItem& call) {
    const Form* form = form_named(call.name);
    const bool as_itself = form != nullptr && (form->name == "ALL_REDUCE" || form->name == "BROADCAST");
    if (form == nullptr || stated(as_itself ? std::string{form->name} : std::string{}) > 0) return;
    throw Unsupported{fmt::format(
        "{}: a communication as COMP_NODE, and no COMM node of its rank states its kind and bytes",
        described(call))};
  }

  // The number of communications of a form, or of any form.
  std::size_t stated(const std::string& form) {
    if (stated_.empty()) {
      stated_[""] = calls_.size();
      for (const Call& call : calls_) {
        const std::string_view name = form_name(call.meaning, item(call).name);
        if (call.type == NodeType::collective && !name.empty()) ++stated_[std::string{name}];
      }
    }
    const auto found = stated_.find(form);
    return found == stated_.end() ? 0 : found->second;
  }

  Workload& work_;
  std::uint32_t first_;
  std::vector<Call>& calls_;
  std::size_t records_ = 0;
  std::map<std::string, std::size_t> kernels_;
  std::map<std::string, std::size_t> stated_;
};

}  // namespace

std::size_t set_records_apart(Workload& work, std::uint32_t first, std::vector<Call>& calls) {
  return Sorter{work, first, calls}.run();
}

}  // namespace kbsim::inputs::chakra
