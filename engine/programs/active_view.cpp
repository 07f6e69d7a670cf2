#include "engine/programs/active_view.h"

namespace indigo::engine {

ActiveView::ActiveView(ActiveView*& innermost, const storage::ReadView& view, const sql::PlannedStatement* plan)
    : innermost_(innermost), outer_(innermost), view_(view), plan_(plan) {
  innermost_ = this;
}

}  // namespace indigo::engine
