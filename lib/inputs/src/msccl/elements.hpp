#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <pugixml.hpp>

#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs::msccl {

/// An element of an XML file, with the place of each of its attributes.
class Element {
 public:
  Element(const Text& text, pugi::xml_node node) : text_{&text}, node_{node} {}

  [[nodiscard]] std::string_view name() const { return node_.name(); }
  [[nodiscard]] Place place() const { return text_->place(offset()); }
  [[nodiscard]] InputError error(const std::string& what) const { return text_->error(offset(), what); }
  /// The place of an attribute; of the element, if the attribute is missing.
  [[nodiscard]] Place place(const char* attribute) const { return text_->place(offset(attribute)); }
  /// An error at an attribute; at the element, if the attribute is missing.
  [[nodiscard]] InputError error(const char* attribute, const std::string& what) const;

  /// Its children, all of the name `child`. InputError for others.
  template <class Action>
  void each(std::string_view child, const Action& action) const {
    for (const pugi::xml_node node : node_.children()) {
      const Element found{*text_, node};
      found.require_name(child, name());
      action(found);
    }
  }
  template <class Action>
  void each_attribute(const Action& action) const {
    for (const pugi::xml_attribute attribute : node_.attributes()) action(attribute.name());
  }
  void require_name(std::string_view wanted, std::string_view parent) const;

  [[nodiscard]] bool has(const char* attribute) const { return !node_.attribute(attribute).empty(); }
  /// InputError if it is missing.
  [[nodiscard]] std::string_view text(const char* attribute) const;
  /// A whole number from `least` to `most`. InputError otherwise, or if it is missing.
  [[nodiscard]] int number(const char* attribute, int least, int most) const;
  [[nodiscard]] int number_or(const char* attribute, int otherwise, int least, int most) const {
    return has(attribute) ? number(attribute, least, most) : otherwise;
  }

 private:
  [[nodiscard]] std::size_t offset() const;
  [[nodiscard]] std::size_t offset(const char* attribute) const;

  const Text* text_;
  pugi::xml_node node_;
};

/// The root of a file. InputError if it isn't XML, or exceeds the limits of a plan.
[[nodiscard]] Element parsed(const Text& text, pugi::xml_document& document);

}  // namespace kbsim::inputs::msccl
