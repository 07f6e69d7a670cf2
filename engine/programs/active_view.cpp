#include "engine/programs/active_view.h"

namespace indigo::engine {

ActiveView::ActiveView(ActiveView*& innermost, const storage::ReadView& view)
    : innermost_(innermost), outer_(innermost), view_(view) {
  innermost_ = this;
}

}  // namespace indigo::engine
