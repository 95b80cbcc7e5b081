#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include "config_tree.hpp"
#include "yaml_tree.hpp"

namespace kbsim::config {

/// Builds the Tree from yaml-cpp's events, as these keep the marks, quotes, aliases and duplicate keys
/// that YAML::Node forgets. Throws ConfigError when the limits on nodes or depth are exceeded.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(Origin origin, Problems& problems) : origin_{std::move(origin)}, problems_{problems} {
    root_.at.file = origin_.name;
  }

  [[nodiscard]] Place place(const YAML::Mark& mark) const;
  [[nodiscard]] Tree take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Tree tree;
    YAML::anchor_t anchor;
    std::optional<TreeEntry> pending;  // of a map: a key without its value yet
  };

  [[nodiscard]] Tree make(Tree::Kind kind, const YAML::Mark& mark) const;
  void open(Tree tree, YAML::anchor_t anchor);
  void close();
  void add(Tree tree, YAML::anchor_t anchor);
  void take_key(Open& map, Tree key);
  void take_value(Open& map, TreeEntry entry, Tree value);
  void count(TreeExtent extent, const Place& at);
  [[nodiscard]] std::string dotted(const std::string& key) const;

  Origin origin_;
  Problems& problems_;
  Tree root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Tree> anchors_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

}  // namespace kbsim::config
