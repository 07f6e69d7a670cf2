#include "engine/exec/partition/partition_key_reader.h"

#include "base/sqlstate.h"
#include "engine/exec/row_text.h"
#include "sql/analyze/analyzer.h"
#include "sql/plan/change/table_rules.h"
#include "sql/stored/print.h"
#include "storage/table.h"
#include "types/function/registry.h"
#include "types/text/strings.h"

namespace indigo::engine::exec {

std::vector<int> matching_columns(const catalog::RelationInfo& to, const catalog::RelationInfo& from) {
  std::vector<int> out(to.columns.size(), -1);
  for (size_t i = 0; i < to.columns.size(); i++) {
    if (to.columns[i].dropped) continue;
    const auto same = [&](size_t at) {
      return at < from.columns.size() && !from.columns[at].dropped && from.columns[at].name == to.columns[i].name;
    };
    size_t at = i;
    if (!same(at)) {
      for (at = 0; at < from.columns.size() && !same(at);) at++;
    }
    if (at < from.columns.size()) out[i] = static_cast<int>(at);
  }
  return out;
}

sql::ExprPtr renumbered(const sql::ExprPtr& e, int input, std::span<const int> columns, int shift) {
  if (e == nullptr) return e;
  if (const auto* c = sql::try_as<sql::ColumnExpr>(e)) {
    if (c->input != input || c->column < 0) return e;
    auto copy = std::make_shared<sql::ColumnExpr>(*c);
    const auto at = static_cast<size_t>(c->column);
    copy->column = at < columns.size() ? columns[at] : c->column + shift;
    return copy;
  }
  return sql::map_children(e, [&](const sql::ExprPtr& child) { return renumbered(child, input, columns, shift); });
}

sql::ExprList renumbered(const sql::ExprList& all, int input, std::span<const int> columns, int shift) {
  sql::ExprList out;
  for (const sql::ExprPtr& e : all) out.push_back(renumbered(e, input, columns, shift));
  return out;
}

Result<PartitionKeyReader> PartitionKeyReader::make(QueryState& state, RelationPtr table,
                                                    std::span<const int> columns) {
  PartitionKeyReader out;
  out.state_ = &state;
  INDIGO_ASSIGN(out.map_, sql::partition::PartitionMap::of(state.session(), *table));
  Builder builder(state);
  for (const catalog::PartitionKeyColumn& k : table->partition_key->columns) {
    Part part;
    if (k.column > 0) {
      part.column = columns[static_cast<size_t>(k.column) - 1];
    } else {
      INDIGO_ASSIGN(const sql::ExprPtr e,
                    sql::analyze_expression(state.session(), k.expression, table, types::TypeRef{}));
      INDIGO_ASSIGN(part.node,
                    builder.compile(renumbered(sql::over_row(state.session().catalog(), e, *table), 1, columns)));
    }
    out.parts_.push_back(std::move(part));
  }
  out.values_.resize(out.parts_.size());
  out.table_ = std::move(table);
  return out;
}

Status PartitionKeyReader::read(const Chunk& rows, uint32_t row) {
  const auto r = static_cast<uint16_t>(row);
  for (size_t i = 0; i < parts_.size(); i++) {
    if (parts_[i].node == nullptr) {
      values_[i] = rows.columns[static_cast<size_t>(parts_[i].column)].datum(row);
      continue;
    }
    const Vector& value = parts_[i].node->evaluate(Frame{{nullptr, &rows}, row + 1}, {&r, 1});
    if (state_->functions().failed()) return state_->functions().take_error();
    values_[i] = value.datum(row);
  }
  return {};
}

Result<int> PartitionKeyReader::find(const Chunk& rows, uint32_t row) {
  INDIGO_TRY(read(rows, row));
  const int found = map_->find(state_->functions(), values_, scratch_);
  if (state_->functions().failed()) return state_->functions().take_error();
  return found;
}

Error PartitionKeyReader::not_found() {
  Error error(sqlstate::kCheckViolation, "no partition of relation \"" + table_->name + "\" found for row");
  error.schema = table_->schema_name;
  error.table = table_->name;
  std::string names, values;
  const auto& columns = table_->partition_key->columns;
  std::vector<int16_t> numbers;
  for (const catalog::PartitionKeyColumn& c : columns) numbers.push_back(c.column);
  if (!may_read(*state_, *table_, numbers)) return error;
  for (size_t i = 0; i < columns.size(); i++) {
    names += i > 0 ? ", " : "";
    values += i > 0 ? ", " : "";
    if (columns[i].column > 0) {
      names += types::quote_identifier(table_->columns[static_cast<size_t>(columns[i].column) - 1].name);
    } else {
      const std::string text = sql::print_stored(state_->session(), columns[i].expression, *table_);
      const bool call = text.ends_with(")");
      names += call ? text : "(" + text + ")";
    }
    if (values_[i].null) {
      values += "null";
    } else {
      types::type_output(state_->functions(), columns[i].type, values_[i], values);
    }
  }
  error.detail = "Partition key of the failing row contains (" + names + ") = (" + values + ").";
  return error;
}

}  // namespace indigo::engine::exec
