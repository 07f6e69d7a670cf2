// Values: rows of expressions. Rows are mostly alike (INSERT of many rows): they differ in constants and parameters alone. What is
// compiled is the rows' shape, in which these are columns; it is evaluated over many rows at a time.
#include <algorithm>

#include "engine/exec/operators.h"
#include "engine/exec/row_parameters.h"

namespace indigo::engine::exec {
namespace {

// A constant or a parameter of one row.
struct Leaf {
  const Datum* constant = nullptr;  // null: a parameter
  int parameter = 0;
};

// An expression with its leaves taken out.
sql::ExprPtr column_for(const sql::Expr& leaf, size_t number) {
  auto column = std::make_shared<sql::ColumnExpr>();
  column->type = leaf.type;
  column->column = static_cast<int>(number);
  return column;
}

struct RowShape {
  sql::ExprList columns;
  ExpressionSet compiled;
  std::vector<Phys> leaves;
};

struct ValuesRow {
  uint32_t shape, first_leaf;
};

class ShapeMaker {
 public:
  explicit ShapeMaker(Builder& b) : builder_(b) {}

  Status add(const sql::ExprList& row) {
    ValuesRow out{0, static_cast<uint32_t>(leaves.size())};
    phys_.clear();
    sql::ExprList columns;
    for (const sql::ExprPtr& e : row) columns.push_back(shape_of(e, true));
    while (out.shape < shapes.size() && !same(shapes[out.shape], columns)) out.shape++;
    if (out.shape == shapes.size()) {
      RowShape shape;
      INDIGO_ASSIGN(shape.compiled, builder_.compile_all(columns));
      shape.columns = std::move(columns);
      shape.leaves = phys_;
      // Few shapes are looked for; the rest are each for one row.
      if (shapes.size() < kShapesMax) {
        shapes.push_back(std::move(shape));
      } else {
        out.shape = static_cast<uint32_t>(shapes.size() + others.size());
        others.push_back(std::move(shape));
      }
    }
    rows.push_back(out);
    return {};
  }

  static constexpr size_t kShapesMax = 16;
  std::vector<RowShape> shapes, others;
  std::vector<ValuesRow> rows;
  std::vector<Leaf> leaves;

 private:
  sql::ExprPtr shape_of(const sql::ExprPtr& e, bool top) {
    const auto* constant = top ? sql::try_as<sql::ConstExpr>(e) : nullptr;
    const auto* parameter = sql::try_as<sql::ParamExpr>(e);
    if (constant == nullptr && parameter == nullptr) {
      return sql::map_children(e, [&](const sql::ExprPtr& child) { return shape_of(child, false); });
    }
    leaves.push_back(constant != nullptr ? Leaf{&constant->value.get(), 0} : Leaf{nullptr, parameter->index});
    phys_.push_back(builder_.phys_of(e->type));
    return column_for(*e, phys_.size() - 1);
  }
  static bool same(const RowShape& shape, const sql::ExprList& columns) {
    return std::equal(columns.begin(), columns.end(), shape.columns.begin(), shape.columns.end(),
                      [](const sql::ExprPtr& a, const sql::ExprPtr& b) { return sql::equal(a, b); });
  }

  Builder& builder_;
  std::vector<Phys> phys_;
};

class ValuesOperator final : public Operator {
 public:
  ValuesOperator(QueryState& state, const sql::ValuesPlan& plan, std::vector<Phys> columns, ShapeMaker made)
      : state_(state),
        plan_(plan),
        columns_(std::move(columns)),
        shapes_(std::move(made.shapes)),
        rows_(std::move(made.rows)),
        leaves_(std::move(made.leaves)) {
    for (RowShape& s : made.others) shapes_.push_back(std::move(s));
    for (RowShape& s : shapes_) s.columns.clear();
    chunk_.columns.resize(columns_.size());
  }
  Status open(Open) override {
    at_ = 0;
    error_ = nullptr;
    const RowParameters* given = state_.context().rows;
    given_ = given != nullptr && given->values == &plan_ ? given : nullptr;
    count_ = given_ != nullptr ? given_->rows.size() : rows_.size();
    return {};
  }
  Result<Chunk*> next(uint32_t max_rows) override {
    if (error_ != nullptr) return std::move(error_);
    if (at_ == count_) return nullptr;
    arena_.reset();
    ArenaScope scope(state_, arena_);
    INDIGO_TRY(state_.check());
    const auto wanted = static_cast<uint32_t>(std::min<size_t>(count_ - at_, max_rows));
    uint32_t done = evaluate(wanted);
    if (done == 0) return std::move(error_);  // nothing to look at: the other columns have no values either
    const bool alone = done == wanted || error_ != nullptr;
    RowShape& first = shapes_[row(at_).shape];
    for (size_t c = 0; c < columns_.size(); c++) {
      if (alone) {
        chunk_.columns[c].reference(first.compiled[c]);
      } else {
        chunk_.columns[c].init(columns_[c], wanted);
        copy(first.compiled[c], c, 0, done);
      }
    }
    at_ += done;
    while (!alone && done < wanted && error_ == nullptr) {
      const RowShape& shape = shapes_[row(at_).shape];
      const uint32_t more = evaluate(wanted - done);
      if (more == 0) break;  // of an error: there are no values
      for (size_t c = 0; c < columns_.size(); c++) copy(shape.compiled[c], c, done, more);
      done += more;
      at_ += more;
    }
    chunk_.selection = {nullptr, done};
    return &chunk_;
  }
  void close() override {}

 private:
  const ValuesRow& row(size_t i) const { return rows_[given_ != nullptr ? given_->rows[i].like : i]; }
  const Datum& parameter(int number, size_t i) const {
    if (given_ == nullptr) return state_.parameter(number);
    const RowParameters::Row& own = given_->rows[i];
    return given_->parameters[own.first + static_cast<uint32_t>(number) - given_->first_parameter[own.like]];
  }
  // Computes the rows of one shape that come next, at most `max`; answers how many are good.
  uint32_t evaluate(uint32_t max) {
    const uint32_t number = row(at_).shape;
    RowShape& shape = shapes_[number];
    uint32_t n = 1;
    while (n < max && row(at_ + n).shape == number) n++;
    input_.columns.resize(std::max(input_.columns.size(), shape.leaves.size()));
    for (size_t i = 0; i < shape.leaves.size(); i++) {
      Vector& column = input_.columns[i];
      column.init(shape.leaves[i], n);
      for (uint32_t r = 0; r < n; r++) {
        const Leaf& leaf = leaves_[row(at_ + r).first_leaf + i];
        Datum value = leaf.constant != nullptr ? *leaf.constant : parameter(leaf.parameter, at_ + r);
        if (value.null) value.phys = shape.leaves[i];
        column.set_datum(r, value);
      }
    }
    input_.selection = {nullptr, n};
    return shape.compiled.evaluate(Frame{{&input_, nullptr}, n}, input_.selection, error_);
  }
  void copy(const Vector& from, size_t column, uint32_t at, uint32_t count) {
    for (uint32_t r = 0; r < count; r++) chunk_.columns[column].copy_row(at + r, from, r);
  }

  QueryState& state_;
  const sql::ValuesPlan& plan_;
  const RowParameters* given_ = nullptr;  // the rows to answer; null: the node's own
  size_t count_ = 0;
  std::vector<Phys> columns_;
  std::vector<RowShape> shapes_;
  std::vector<ValuesRow> rows_;
  std::vector<Leaf> leaves_;
  Chunk chunk_, input_;
  Arena arena_;
  std::unique_ptr<Error> error_;
  size_t at_ = 0;
};

}  // namespace

Result<OperatorPtr> make_values(Builder& b, const sql::ValuesPlan& p) {
  ShapeMaker maker(b);
  for (const sql::ExprList& row : p.rows_of) INDIGO_TRY(maker.add(row));
  return OperatorPtr(std::make_unique<ValuesOperator>(b.state(), p, b.phys_of(p.columns), std::move(maker)));
}

}  // namespace indigo::engine::exec
