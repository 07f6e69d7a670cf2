// Composite values: ROW(...), (composite).field, and row comparison: (a, b) < (c, d), column by column.
#include <algorithm>
#include <array>

#include "base/sqlstate.h"
#include "engine/exec/expression/expression_nodes.h"
#include "types/io/record.h"
#include "types/io/record_shape.h"
#include "types/oids.h"
#include "types/system/type_name.h"

namespace indigo::engine::exec {
namespace {

// Strategies as in RowCompareExpr: 1..5 for < <= = >= >, 6 for <>.
class RowCompareNode final : public Node {
 public:
  struct Column {
    NodePtr left, right;
    types::ScalarKernel less, equal;
    types::CallInfo less_call, equal_call;
  };
  RowCompareNode(QueryState& state, int strategy, std::vector<Column> columns)
      : Node(state), strategy_(strategy), columns_(std::move(columns)) {}

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    out_.init(Phys::kBool, frame.extent);
    uint16_t* open = open_.reserve(selection.count);
    Selection rest = selection;
    bool all = strategy_ == 3 || strategy_ == 6;
    // Rows stay open while their columns are equal; for = and <> also past a null, which a later difference overrides.
    for (uint32_t i = 0; i < selection.count; i++)
      set(selection[i], strategy_ == 2 || strategy_ == 3 || strategy_ == 4);
    for (size_t k = 0; k < columns_.size() && rest.count > 0; k++) {
      Column& c = columns_[k];
      const Vector& a = c.left->evaluate(frame, rest);
      if (failed()) return out_;
      const Vector& b = c.right->evaluate(frame, rest);
      if (failed()) return out_;
      std::array<const Vector*, 2> arguments{&a, &b};
      uint16_t* both = both_.reserve(rest.count);
      uint32_t n = 0, left = 0;
      for (uint32_t i = 0; i < rest.count; i++) {
        uint32_t r = rest[i];
        if (!a.is_null(r) && !b.is_null(r)) both[n++] = static_cast<uint16_t>(r);
      }
      equal_.init(Phys::kBool, frame.extent);
      if (n > 0) c.equal(functions(), c.equal_call, arguments, {both, n}, equal_);
      if (failed()) return out_;
      if (!all) {
        less_.init(Phys::kBool, frame.extent);
        if (n > 0) c.less(functions(), c.less_call, arguments, {both, n}, less_);
        if (failed()) return out_;
      }
      for (uint32_t i = 0; i < rest.count; i++) {
        uint32_t r = rest[i];
        if (a.is_null(r) || b.is_null(r)) {
          out_.set_null(r);
          if (all) open[left++] = static_cast<uint16_t>(r);
        } else if (equal_.get<bool>(r)) {
          open[left++] = static_cast<uint16_t>(r);
        } else if (all) {
          set(r, strategy_ == 6);
        } else {
          bool less = less_.get<bool>(r);
          set(r, strategy_ <= 2 ? less : !less);
        }
      }
      rest = {open, left};
    }
    return out_;
  }

 private:
  void set(uint32_t row, bool value) { out_.set_datum(row, Datum::of(value)); }

  int strategy_;
  std::vector<Column> columns_;
  Vector out_, equal_, less_;
  SelectionBuffer open_, both_;
};

class RowNode final : public Node {
 public:
  RowNode(QueryState& state, std::vector<NodePtr> fields, std::vector<types::TypeRef> types,
          std::vector<std::string> names)
      : Node(state), fields_(std::move(fields)), types_(std::move(types)), names_(std::move(names)) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    values_.clear();
    for (NodePtr& f : fields_) {
      values_.push_back(&f->evaluate(frame, selection));
      if (failed()) return out_;
    }
    out_.init(Phys::kStr, frame.extent);
    for (uint32_t i = 0; i < selection.count; i++) {
      row_.clear();
      for (const Vector* v : values_) row_.push_back(v->datum(selection[i]));
      out_.set_datum(selection[i],
                     Datum::of(functions().arena().copy(types::make_record(type.oid, types_, row_, names_))));
    }
    return out_;
  }

 private:
  std::vector<NodePtr> fields_;
  std::vector<types::TypeRef> types_;
  std::vector<std::string> names_;  // of a record's fields, when they have any
  std::vector<const Vector*> values_;
  std::vector<Datum> row_;
  Vector out_;
};

class FieldNode final : public Node {
 public:
  FieldNode(QueryState& state, NodePtr argument, int field)
      : Node(state), argument_(std::move(argument)), field_(static_cast<size_t>(field)) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& value = argument_->evaluate(frame, selection);
    if (failed()) return out_;
    out_.init(phys, frame.extent);
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      if (value.is_null(r)) {
        out_.set_datum(r, Datum::make_null(phys));
        continue;
      }
      out_.set_datum(r, types::read_field(functions(), value.get<Str>(r), field_, type, phys));
      if (failed()) return out_;
    }
    return out_;
  }

 private:
  NodePtr argument_;
  size_t field_;
  Vector out_;
};

// A row as one of a type whose columns it has, by name.
class RowCastNode final : public Node {
 public:
  // `sources`: by the columns of `types`, the argument's field; -1: a dropped column.
  RowCastNode(QueryState& state, NodePtr argument, std::vector<int> sources, std::vector<types::TypeRef> types)
      : Node(state), argument_(std::move(argument)), sources_(std::move(sources)), types_(std::move(types)) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& value = argument_->evaluate(frame, selection);
    if (failed()) return out_;
    out_.init(Phys::kStr, frame.extent);
    for (uint32_t i = 0; i < selection.count; i++) {
      const uint32_t r = selection[i];
      if (value.is_null(r)) {
        out_.set_datum(r, Datum::make_null(Phys::kStr));
        continue;
      }
      const types::RecordFields given = types::numbered_fields(state_.session().catalog(), value.get<Str>(r));
      row_.clear();
      for (const int source : sources_) {
        const bool has = source >= 0 && static_cast<size_t>(source) < given.values.size();
        row_.push_back(has ? given.values[static_cast<size_t>(source)] : Datum::make_null(Phys::kI32));
      }
      out_.set_datum(r, Datum::of(functions().arena().copy(types::make_record(type.oid, types_, row_))));
    }
    return out_;
  }

 private:
  NodePtr argument_;
  std::vector<int> sources_;
  std::vector<types::TypeRef> types_;
  std::vector<Datum> row_;
  Vector out_;
};

Result<types::ScalarKernel> kernel_of(Oid function) {
  const types::ScalarFunction* f = types::find_scalar(function);
  if (f == nullptr) {
    return Error(sqlstate::kFeatureNotSupported, "function with OID " + std::to_string(function) + " is not supported");
  }
  return f->kernel;
}

// A composite value has a field for each column of its type; those of dropped columns have no type.
void mark_dropped(QueryState& state, Oid type, std::vector<types::TypeRef>& types) {
  const auto relation = types::fields_relation(state.session().catalog(), type);
  if (relation == nullptr) return;
  for (size_t i = 0; i < std::min(types.size(), relation->columns.size()); i++) {
    if (relation->columns[i].dropped) types[i] = types::TypeRef{};
  }
}

Result<NodePtr> compile_row(Builder& b, const sql::RowExpr& e) {
  std::vector<NodePtr> fields;
  std::vector<types::TypeRef> types;
  std::vector<const Node*> children;
  for (const sql::ExprPtr& f : e.fields) {
    INDIGO_ASSIGN(NodePtr node, b.compile(f));
    children.push_back(node.get());
    fields.push_back(std::move(node));
    types.push_back(f->type);
  }
  mark_dropped(b.state(), e.type.oid, types);
  // A composite type's names are its relation's.
  const bool named = e.type.oid == oid::kRecord && e.names.size() == fields.size();
  NodePtr node = std::make_unique<RowNode>(b.state(), std::move(fields), std::move(types),
                                           named ? e.names : std::vector<std::string>());
  inherit(*node, children);
  return node;
}

Result<NodePtr> compile_field(Builder& b, const sql::FieldExpr& e) {
  // SET (a, b) = (SELECT ...): column `field` of the subquery's row.
  if (const auto* sub = sql::try_as<sql::SubPlanExpr>(e.argument);
      sub != nullptr && sub->form == sql::SubLinkExpr::Form::kMultiAssign) {
    return compile_subplan(b, *sub, e.field);
  }
  INDIGO_ASSIGN(NodePtr argument, b.compile(e.argument));
  const Node* child = argument.get();
  NodePtr node = std::make_unique<FieldNode>(b.state(), std::move(argument), e.field);
  inherit(*node, {child});
  return node;
}

Result<NodePtr> compile_row_cast(Builder& b, const sql::RowCastExpr& e) {
  auto& catalog = b.state().session().catalog();
  const auto from = types::fields_relation(catalog, e.argument->type.oid);
  const auto to = types::fields_relation(catalog, e.type.oid);
  if (from == nullptr || to == nullptr) {
    return Error(sqlstate::kFeatureNotSupported, "rows of child tables as their parents' are not supported in indexes");
  }
  std::vector<int> sources;
  std::vector<types::TypeRef> types;
  for (const auto& column : to->columns) {
    sources.push_back(-1);
    types.push_back(column.dropped ? types::TypeRef{} : column.type);
    if (column.dropped) continue;
    const auto same = std::find_if(from->columns.begin(), from->columns.end(),
                                   [&](const auto& c) { return !c.dropped && c.name == column.name; });
    const bool there = same != from->columns.end();
    if (!there || same->type.oid != column.type.oid) {
      // Inheritance has ended since the expression was made.
      const std::string of = types::format_type(catalog, e.type.oid);
      const std::string in = types::format_type(catalog, e.argument->type.oid);
      return Error(sqlstate::kDatatypeMismatch, "could not convert row type")
          .with_detail("Attribute \"" + column.name + "\" of type " + of +
                       (there ? " does not match corresponding attribute of type " : " does not exist in type ") + in +
                       ".");
    }
    sources.back() = static_cast<int>(same - from->columns.begin());
  }
  INDIGO_ASSIGN(NodePtr argument, b.compile(e.argument));
  const Node* child = argument.get();
  NodePtr node = std::make_unique<RowCastNode>(b.state(), std::move(argument), std::move(sources), std::move(types));
  inherit(*node, {child});
  return node;
}

}  // namespace

Result<NodePtr> compile_record(Builder& b, const sql::Expr& e) {
  if (e.kind == sql::ExprKind::kRowCast) return compile_row_cast(b, sql::as<sql::RowCastExpr>(e));
  if (e.kind == sql::ExprKind::kRow) return compile_row(b, sql::as<sql::RowExpr>(e));
  if (e.kind == sql::ExprKind::kField) return compile_field(b, sql::as<sql::FieldExpr>(e));
  const auto& x = sql::as<sql::RowCompareExpr>(e);
  std::vector<RowCompareNode::Column> columns;
  std::vector<const Node*> children;
  types::TypeRef boolean = e.type;
  for (size_t i = 0; i < x.left.size(); i++) {
    RowCompareNode::Column c{};
    INDIGO_ASSIGN(c.left, b.compile(x.left[i]));
    INDIGO_ASSIGN(c.right, b.compile(x.right[i]));
    children.push_back(c.left.get());
    children.push_back(c.right.get());
    std::vector<types::TypeRef> types{x.left[i]->type, x.right[i]->type};
    const Oid collation = sql::row_compare_collation(x, i);
    INDIGO_ASSIGN(c.equal, kernel_of(x.equal_functions[i]));
    c.equal_call = {x.equal_functions[i], boolean, types, collation};
    if (x.strategy != 3 && x.strategy != 6) {
      INDIGO_ASSIGN(c.less, kernel_of(x.less_functions[i]));
      c.less_call = {x.less_functions[i], boolean, types, collation};
    }
    columns.push_back(std::move(c));
  }
  NodePtr node = std::make_unique<RowCompareNode>(b.state(), x.strategy, std::move(columns));
  inherit(*node, children);
  return node;
}

}  // namespace indigo::engine::exec
