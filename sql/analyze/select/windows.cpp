// Window definitions: WINDOW's named ones and those written in OVER.
#include <unordered_map>

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/sorting.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

// Bits of WindowDef.frame_options (nodes/parsenodes.h).
enum FrameOption : int {
  kNonDefault = 0x1,
  kRange = 0x2,
  kRows = 0x4,
  kGroups = 0x8,
  kStartUnboundedPreceding = 0x20,
  kEndUnboundedFollowing = 0x100,
  kStartCurrentRow = 0x200,
  kEndCurrentRow = 0x400,
  kStartPreceding = 0x800,
  kEndPreceding = 0x1000,
  kStartFollowing = 0x2000,
  kEndFollowing = 0x4000,
  kExcludeCurrentRow = 0x8000,
  kExcludeGroup = 0x10000,
  kExcludeTies = 0x20000,
};

// The type of a RANGE offset over a column of this type; invalid when there is none.
Oid range_offset_type(Oid column, Oid given) {
  const bool integer = given == oid::kInt2 || given == oid::kInt4 || given == oid::kInt8;
  switch (column) {
    case oid::kInt2:
    case oid::kInt4: return integer ? given : column;
    case oid::kInt8: return oid::kInt8;
    case oid::kFloat4:
    case oid::kFloat8: return oid::kFloat8;
    case oid::kNumeric: return oid::kNumeric;
    case oid::kDate:
    case oid::kTime:
    case oid::kTimeTz:
    case oid::kTimestamp:
    case oid::kTimestampTz:
    case oid::kInterval: return oid::kInterval;
    default: return kInvalidOid;
  }
}

class WindowReader {
 public:
  WindowReader(Scope& scope, const PgQuery__WindowDef& def, Window& out) : scope_(scope), def_(def), out_(out) {}

  // `base`: the window that this one refines; null for none.
  Status run(const Window* base, bool base_has_frame) {
    out_.name = def_.name ? def_.name : "";
    if (base) {
      INDIGO_TRY(inherit(*base, base_has_frame));
    }
    INDIGO_TRY(read_partition());
    INDIGO_TRY(read_order());
    return read_frame();
  }

 private:
  Status inherit(const Window& base, bool base_has_frame) {
    const std::string name = def_.refname;
    if (def_.n_partition_clause > 0) {
      return scope_.error(sqlstate::kWindowingError, "cannot override PARTITION BY clause of window \"" + name + "\"",
                          def_.location);
    }
    if (def_.n_order_clause > 0 && !base.order.empty()) {
      return scope_.error(sqlstate::kWindowingError, "cannot override ORDER BY clause of window \"" + name + "\"",
                          def_.location);
    }
    if (base_has_frame) {
      Error error = scope_.error(sqlstate::kWindowingError,
                                 "cannot copy window \"" + name + "\" because it has a frame clause", def_.location);
      if (!has_text(def_.name) && def_.n_order_clause == 0 && (def_.frame_options & kNonDefault) == 0) {
        error.hint = "Omit the parentheses in this OVER clause.";
      }
      return error;
    }
    out_.partition = base.partition;
    out_.order = base.order;
    return {};
  }

  // Positions and output names have no meaning here.
  Result<ExprPtr> key(const PgQuery__Node* node, Clause clause) {
    Setting<Clause> here(scope_.clause, clause);
    Setting<bool> lift(scope_.lift, false);
    INDIGO_ASSIGN(const ExprPtr e, transform(scope_, node));
    return unknown_to_text(scope_.a, e);
  }

  Status read_partition() {
    for (const PgQuery__Node* n : nodes(def_.n_partition_clause, def_.partition_clause)) {
      INDIGO_ASSIGN(ExprPtr e, key(n, Clause::kWindowPartition));
      INDIGO_ASSIGN(const SortOperators ops, sort_operators(scope_.a, e->type.oid, false, true, location_of(n)));
      if (ops.less == kInvalidOid) {
        return Error(sqlstate::kFeatureNotSupported, "could not implement window PARTITION BY")
            .with_detail("Window partitioning columns must be of sortable datatypes.");
      }
      out_.partition.push_back(std::move(e));
    }
    return {};
  }

  Status read_order() {
    for (const PgQuery__Node* n : nodes(def_.n_order_clause, def_.order_clause)) {
      INDIGO_ASSIGN(const ExprPtr e, key(n->sort_by->node, Clause::kWindowOrder));
      INDIGO_ASSIGN(SortKey made, make_sort_key(scope_.a, *n->sort_by, e));
      out_.order.push_back(std::move(made));
    }
    return {};
  }

  Status read_frame() {
    const int options = def_.frame_options;
    using Mode = Window::Mode;
    using Kind = FrameBound::Kind;
    using Exclude = Window::Exclude;
    out_.mode = options & kRows ? Mode::kRows : options & kGroups ? Mode::kGroups : Mode::kRange;
    if (out_.mode == Mode::kGroups && out_.order.empty()) {
      return scope_.error(sqlstate::kWindowingError, "GROUPS mode requires an ORDER BY clause", def_.location);
    }
    out_.exclude = options & kExcludeCurrentRow ? Exclude::kCurrentRow
                   : options & kExcludeGroup    ? Exclude::kGroup
                   : options & kExcludeTies     ? Exclude::kTies
                                                : Exclude::kNoOthers;
    out_.start.kind = options & kStartPreceding    ? Kind::kPreceding
                      : options & kStartFollowing  ? Kind::kFollowing
                      : options & kStartCurrentRow ? Kind::kCurrentRow
                                                   : Kind::kUnboundedPreceding;
    out_.end.kind = options & kEndPreceding            ? Kind::kPreceding
                    : options & kEndFollowing          ? Kind::kFollowing
                    : options & kEndUnboundedFollowing ? Kind::kUnboundedFollowing
                                                       : Kind::kCurrentRow;
    const bool offsets = !absent(def_.start_offset) || !absent(def_.end_offset);
    if (offsets && out_.mode == Mode::kRange) {
      if (out_.order.size() != 1) {
        return scope_.error(sqlstate::kWindowingError,
                            "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column",
                            def_.location);
      }
    }
    INDIGO_ASSIGN(out_.start.offset, offset(def_.start_offset));
    INDIGO_ASSIGN(out_.end.offset, offset(def_.end_offset));
    return {};
  }

  Result<ExprPtr> offset(const PgQuery__Node* node) {
    if (absent(node)) return ExprPtr();
    const bool range = out_.mode == Window::Mode::kRange;
    const char* name = range ? "RANGE" : out_.mode == Window::Mode::kRows ? "ROWS" : "GROUPS";
    Setting<Clause> here(scope_.clause, range                              ? Clause::kFrameRange
                                        : out_.mode == Window::Mode::kRows ? Clause::kFrameRows
                                                                           : Clause::kFrameGroups);
    Setting<bool> lift(scope_.lift, false);
    INDIGO_ASSIGN(const ExprPtr e, transform(scope_, node));
    if (contains_vars(e)) {
      return scope_.error(sqlstate::kInvalidColumnReference,
                          std::string("argument of ") + name + " must not contain variables", location_of(node));
    }
    if (!range) return coerce_to_specific(scope_.a, e, oid::kInt8, name);
    const Oid column = base_type(scope_.catalog(), out_.order[0].expr->type.oid);
    const Oid type = range_offset_type(column, e->type.oid);
    if (type == kInvalidOid) {
      return scope_.error(sqlstate::kFeatureNotSupported,
                          "RANGE with offset PRECEDING/FOLLOWING is not supported for column type " +
                              format_type(scope_.catalog(), column == oid::kVarchar ? oid::kText : column),
                          location_of(node));
    }
    out_.in_range = in_range(column, type);
    INDIGO_ASSIGN(ExprPtr out, coerce_to_target(scope_.a, e, {type, -1, kInvalidOid}, Coercion::kImplicit,
                                                CallExpr::Form::kImplicitCast, -1));
    if (!out) {
      return scope_
          .error(sqlstate::kFeatureNotSupported,
                 "RANGE with offset PRECEDING/FOLLOWING is not supported for column type " +
                     format_type(scope_.catalog(), column) + " and offset type " +
                     format_type(scope_.catalog(), e->type.oid),
                 location_of(node))
          .with_hint("Cast the offset value to an appropriate type.");
    }
    return out;
  }

  // in_range(value, base, offset, before, less) for these types.
  Oid in_range(Oid column, Oid offset) const {
    for (const auto& f : scope_.catalog().functions_named("pg_catalog", "in_range")) {
      if (f->arguments.size() == 5 && f->arguments[0] == column && f->arguments[2] == offset) return f->oid;
    }
    return kInvalidOid;
  }

  Scope& scope_;
  const PgQuery__WindowDef& def_;
  Window& out_;
};

bool same_definition(const PgQuery__WindowDef& a, const PgQuery__WindowDef& b) {
  return !has_text(a.name) && !has_text(b.name) && equal_trees(&a.base, &b.base);
}

}  // namespace

Result<int> find_window(Scope& scope, const PgQuery__WindowDef& over) {
  auto& list = scope.window_definitions;
  if (has_text(over.name)) {  // OVER name
    for (size_t i = 0; i < list.size(); i++) {
      if (has_text(list[i]->name) && std::string_view(list[i]->name) == over.name) return static_cast<int>(i);
    }
    return scope.error(sqlstate::kUndefinedObject, "window \"" + std::string(over.name) + "\" does not exist",
                       over.location);
  }
  for (size_t i = 0; i < list.size(); i++) {
    if (same_definition(*list[i], over)) return static_cast<int>(i);
  }
  list.push_back(&over);
  return static_cast<int>(list.size() - 1);
}

Status transform_windows(Scope& scope) {
  const auto list = scope.window_definitions;  // definitions make no new ones
  std::vector<Window>& windows = scope.query->windows;
  std::unordered_map<std::string_view, size_t> by_name;  // those before
  for (size_t i = 0; i < list.size(); i++) {
    const PgQuery__WindowDef& def = *list[i];
    if (has_text(def.name) && by_name.contains(def.name)) {
      return scope.error(sqlstate::kWindowingError, "window \"" + std::string(def.name) + "\" is already defined",
                         def.location);
    }
    const Window* base = nullptr;
    bool base_has_frame = false;
    if (const auto at = has_text(def.refname) ? by_name.find(def.refname) : by_name.end(); at != by_name.end()) {
      base = &windows[at->second];
      base_has_frame = (list[at->second]->frame_options & kNonDefault) != 0;
    }
    if (has_text(def.refname) && !base) {
      return scope.error(sqlstate::kUndefinedObject, "window \"" + std::string(def.refname) + "\" does not exist",
                         def.location);
    }
    Window window;
    INDIGO_TRY(WindowReader(scope, def, window).run(base, base_has_frame));
    windows.push_back(std::move(window));
    if (has_text(def.name)) by_name.emplace(def.name, i);
  }
  return {};
}

}  // namespace indigo::sql
