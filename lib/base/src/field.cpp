#include "kbsim/base/field.hpp"

namespace kbsim::detail {

void hold_part(Field& f, std::ptrdiff_t place) {
  f.member = [place](void* spec) { return at(spec, place); };
}

Field& Fields::put(std::string name, FieldType type, std::string doc) {
  Field& field = fields_.emplace_back();
  field.name = std::move(name);
  field.type = type;
  field.doc = std::move(doc);
  field.fresh = fresh_;
  return field;
}

}  // namespace kbsim::detail
