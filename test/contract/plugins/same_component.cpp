// A component whose name kbsim's own has.
#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {
namespace {

struct NoSpec {
  static void describe(FieldList<NoSpec>&) {}
};

class Another : public Component {
 public:
  Another(Fabric& fabric, NodeId id, NoSpec) : Component{fabric, id} {}
};
KBSIM_COMPONENT("builtin.router", NodeKind::router, Another, NoSpec, "another one of this name");

}  // namespace
}  // namespace kbsim::hw
