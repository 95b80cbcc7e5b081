#include "tree_builder.hpp"

#include <utility>

#include <fmt/format.h>

namespace kbsim::config {
namespace {

constexpr std::size_t kMaxNodes = 20'000;
constexpr std::size_t kMaxDepth = 32;
constexpr YAML::anchor_t kNoAnchor = 0;

}  // namespace

Place TreeBuilder::place(const YAML::Mark& mark) const {
  if (!origin_.has_lines || mark.is_null()) return {.file = origin_.name};
  return {.file = origin_.name, .line = mark.line + 1, .column = mark.column + 1};
}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  if (++documents_ == 2) problems_.push_back({place(mark), "", "a second document starts, expected one"});
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  add(make(Tree::Kind::null, mark), anchor);
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto it = anchors_.find(anchor);
  if (it == anchors_.end()) throw ConfigError{place(mark), "", "the alias is inside of what it stands for"};
  count(extent(it->second), place(mark));
  add(it->second, kNoAnchor);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  Tree scalar = make(Tree::Kind::scalar, mark);
  scalar.text = value;
  scalar.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
  add(std::move(scalar), anchor);
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value) {
  open(make(Tree::Kind::list, mark), anchor);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
  open(make(Tree::Kind::map, mark), anchor);
}

Tree TreeBuilder::make(Tree::Kind kind, const YAML::Mark& mark) const {
  Tree tree;
  tree.kind = kind;
  tree.at = place(mark);
  tree.layer = origin_.layer;
  return tree;
}

void TreeBuilder::open(Tree tree, YAML::anchor_t anchor) {
  count({}, tree.at);
  open_.push_back({.tree = std::move(tree), .anchor = anchor, .pending = {}});
}

void TreeBuilder::close() {
  Open done = std::move(open_.back());
  open_.pop_back();
  add(std::move(done.tree), done.anchor);
}

void TreeBuilder::add(Tree tree, YAML::anchor_t anchor) {
  count({}, tree.at);
  if (anchor != kNoAnchor) anchors_[anchor] = tree;
  if (open_.empty()) {
    if (documents_ == 1) root_ = std::move(tree);
  } else if (Open& parent = open_.back(); parent.tree.kind == Tree::Kind::list) {
    parent.tree.items.push_back(std::move(tree));
  } else if (parent.pending) {
    TreeEntry entry = std::move(*parent.pending);
    parent.pending.reset();
    take_value(parent, std::move(entry), std::move(tree));
  } else {
    take_key(parent, std::move(tree));
  }
}

void TreeBuilder::take_key(Open& map, Tree key) {
  if (key.kind != Tree::Kind::scalar) throw ConfigError{key.at, "", "a key must be a name"};
  map.pending = TreeEntry{.key = std::move(key.text), .at = std::move(key.at), .value = {}};
}

void TreeBuilder::take_value(Open& map, TreeEntry entry, Tree value) {
  if (value.kind == Tree::Kind::null) value.at = entry.at;
  entry.value = std::move(value);
  if (const TreeEntry* first = map.tree.find(entry.key)) {
    problems_.push_back(
        {entry.at, dotted(entry.key), fmt::format("given twice, first at {}", to_string(first->at))});
  } else {
    map.tree.entries.push_back(std::move(entry));
  }
}

std::string TreeBuilder::dotted(const std::string& key) const {
  std::string path;
  for (const Open& map : open_) {
    if (map.pending) path = join_key(path, printable(map.pending->key));
  }
  return join_key(path, printable(key));
}

void TreeBuilder::count(TreeExtent extent, const Place& at) {
  nodes_ += extent.nodes;
  if (nodes_ > kMaxNodes) {
    throw ConfigError{at, "", fmt::format("more than {} values, aliases counted each time", kMaxNodes)};
  }
  if (open_.size() + extent.depth > kMaxDepth) {
    throw ConfigError{at, "", fmt::format("nested more than {} levels deep", kMaxDepth)};
  }
}

}  // namespace kbsim::config
