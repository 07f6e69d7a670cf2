// tablefunc's crosstab and connectby: rows of a caller's query, turned and joined into rows of the shape that the query around
// the call expects. The last argument is that shape, a record of nulls. Values go from one type to another by their texts.
#include <algorithm>
#include <map>
#include <optional>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/programs/nested_statement.h"
#include "engine/session/session_parts.h"
#include "engine/system/families.h"
#include "engine/system/query_rows.h"
#include "types/function/context.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/system/type_name.h"
#include "types/text/strings.h"

namespace indigo::engine {

namespace {

using query_rows::Answer;
using query_rows::ask;
using query_rows::RowMaker;
using query_rows::Text;
using types::TypeRef;

constexpr SqlState kWrongType = sqlstate::kDatatypeMismatch;

Error invalid_return(std::string detail, SqlState state = kWrongType) {
  return Error(state, "invalid return type").with_detail(std::move(detail));
}

// ---- crosstab(source): the values of each name's rows, side by side in their order

Status check_crosstab(const std::vector<TypeRef>& wanted, const std::vector<TypeRef>& source) {
  if (source.size() != 3) {
    return Error(sqlstate::kInvalidParameterValue, "invalid source data SQL statement")
        .with_detail("The provided SQL must return 3 columns: rowid, category, and values.");
  }
  if (wanted.size() > 1 && wanted[0].oid != source[0].oid)
    return invalid_return("SQL rowid datatype does not match return rowid datatype.");
  const bool alike = wanted.size() > 1 && std::all_of(wanted.begin() + 1, wanted.end(),
                                                      [&](const TypeRef& t) { return t.oid == source[2].oid; });
  if (alike) return {};
  return Error(sqlstate::kSyntaxError, "return and sql tuple descriptions are incompatible");
}

Status crosstab(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  INDIGO_ASSIGN(const Answer source, ask(session, arguments[0].str));
  if (source.rows.empty()) return {};
  RowMaker maker(session, arguments.back().str, sink);
  INDIGO_TRY(check_crosstab(maker.types(), source.types));
  for (size_t at = 0; at < source.rows.size();) {
    const Text& name = source.rows[at][0];
    std::vector<Text> row{name};
    for (; at < source.rows.size() && source.rows[at][0] == name; at++) {
      if (row.size() < maker.types().size()) row.push_back(source.rows[at][2]);
    }
    INDIGO_TRY(maker.add(row));
  }
  return {};
}

// ---- crosstab(source, categories): each value in its category's column

Result<std::map<std::string, size_t>> read_categories(SessionParts& session, Str text) {
  INDIGO_ASSIGN(const Answer answer, ask(session, text));
  std::map<std::string, size_t> out;
  if (answer.rows.empty()) return out;
  if (answer.types.size() != 1) {
    return Error(sqlstate::kSyntaxError, "provided \"categories\" SQL must return 1 column of at least one row");
  }
  for (const auto& row : answer.rows) {
    if (!row[0]) return Error(sqlstate::kSyntaxError, "provided \"categories\" SQL must not return NULL values");
    if (!out.emplace(*row[0], out.size()).second) return Error(sqlstate::kDuplicateObject, "duplicate category name");
  }
  return out;
}

Status crosstab_hash(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  RowMaker maker(session, arguments.back().str, sink);
  if (maker.types().size() < 2) {
    return Error(sqlstate::kSyntaxError, "query-specified return tuple and crosstab function are not compatible");
  }
  INDIGO_ASSIGN(const auto categories, read_categories(session, arguments[1].str));
  INDIGO_ASSIGN(const Answer source, ask(session, arguments[0].str));
  if (source.rows.empty()) return {};
  if (categories.empty()) {
    return Error(sqlstate::kSyntaxError, "provided \"categories\" SQL must return 1 column of at least one row");
  }
  const size_t columns = source.types.size();
  if (columns < 3) {
    return Error(sqlstate::kInvalidParameterValue, "invalid source data SQL statement")
        .with_detail("The provided SQL must return 3  columns; rowid, category, and values.");
  }
  const size_t made = columns - 2 + categories.size();
  if (maker.types().size() != made) {
    return invalid_return("Query-specified return tuple has " + std::to_string(maker.types().size()) +
                              " columns but crosstab returns " + std::to_string(made) + ".",
                          sqlstate::kSyntaxError);
  }
  for (size_t at = 0; at < source.rows.size();) {
    const auto& first = source.rows[at];
    std::vector<Text> row(first.begin(), first.begin() + static_cast<ptrdiff_t>(columns) - 2);
    row.resize(made);
    for (; at < source.rows.size() && source.rows[at][0] == first[0]; at++) {
      const Text& category = source.rows[at][columns - 2];
      const auto found = category ? categories.find(*category) : categories.end();
      if (found != categories.end()) row[columns - 2 + found->second] = source.rows[at][columns - 1];
    }
    INDIGO_TRY(maker.add(row));
  }
  return {};
}

// ---- connectby: a tree of rows that name their parent

class Tree {
 public:
  Tree(SessionParts& session, std::span<const Datum> arguments, bool serial, const SystemRowSink& sink)
      : session_(session), maker_(session, arguments.back().str, sink), serial_(serial) {
    const auto text = [&](size_t i) { return std::string(arguments[i].str); };
    table_ = text(0);
    key_ = text(1);
    parent_ = text(2);
    if (serial) order_ = text(3);
    const size_t start = serial ? 4 : 3;
    start_ = text(start);
    depth_ = arguments[start + 1].i32;
    branch_ = arguments.size() > start + 3;
    delimiter_ = branch_ ? text(start + 2) : "~";
  }

  Status run() {
    INDIGO_TRY(check_shape());
    INDIGO_TRY(add(start_, std::nullopt, 0, start_));
    return below(start_, start_, 1);
  }

 private:
  Status check_shape() {
    const auto& types = maker_.types();
    if (types.size() != 3 + (branch_ ? size_t{1} : 0) + (serial_ ? size_t{1} : 0))
      return invalid_return("Query-specified return tuple has wrong number of columns.");
    if (types[0].oid != types[1].oid) return invalid_return("First two columns must be the same type.");
    if (types[2].oid != oid::kInt4) return invalid_return("Third column must be type integer.");
    if (branch_ && types[3].oid != oid::kText) return invalid_return("Fourth column must be type text.");
    if (serial_ && types.back().oid != oid::kInt4) {
      return Error(kWrongType, std::string("query-specified return tuple not valid for Connectby: ") +
                                   (branch_ ? "fifth" : "fourth") + " column must be type integer");
    }
    return {};
  }

  Status check_query(const Answer& answer) {
    if (answer.types.size() < 2) return invalid_return("Query must return at least two columns.");
    for (size_t i = 0; i < 2; i++) {
      const TypeRef &wanted = maker_.types()[i], &given = answer.types[i];
      if (wanted.oid == given.oid && (wanted.typmod < 0 || wanted.typmod == given.typmod)) continue;
      const std::string field = i == 0 ? "key" : "parent key";
      const std::string given_text = types::format_type(session_.session_catalog(), given.oid,
                                                        given.typmod < 0 ? std::nullopt : std::optional(given.typmod));
      return invalid_return("SQL " + field + " field type " + maker_.type_text(i) + " does not match return " + field +
                            " field type " + given_text + ".");
    }
    return {};
  }

  Status add(const Text& key, const Text& parent, int32_t level, const std::string& branch) {
    std::vector<Text> row{key, parent, std::to_string(level)};
    if (branch_) row.emplace_back(branch);
    if (serial_) row.emplace_back(std::to_string(++added_));
    return maker_.add(row);
  }

  Status below(const std::string& parent, const std::string& branch, int32_t level) {
    INDIGO_TRY(check_stack_depth());
    if (depth_ > 0 && level > depth_) return {};
    std::string query = "SELECT " + key_ + ", " + parent_ + " FROM " + table_ + " WHERE " + parent_ + " = " +
                        types::quote_literal(parent) + " AND " + key_ + " IS NOT NULL AND " + key_ + " <> " + parent_;
    if (serial_) query += " ORDER BY " + order_;
    INDIGO_ASSIGN(const Answer answer, ask(session_, query));
    if (answer.rows.empty()) return {};
    INDIGO_TRY(check_query(answer));
    const std::string above = delimiter_ + branch + delimiter_;
    for (const auto& row : answer.rows) {
      const Text& key = row[0];
      if (key && above.find(delimiter_ + *key + delimiter_) != std::string::npos)
        return Error(SqlState("42P19"), "infinite recursion detected");
      const std::string own = key ? branch + delimiter_ + *key : branch;
      INDIGO_TRY(add(key, row[1], level, own));
      if (key) INDIGO_TRY(below(*key, own, level + 1));
    }
    return {};
  }

  SessionParts& session_;
  RowMaker maker_;
  const bool serial_;
  bool branch_ = false;
  std::string table_, key_, parent_, order_, start_, delimiter_;
  int32_t depth_ = 0, added_ = 0;
};

template <bool kSerial>
Status connectby(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  return Tree(session, arguments, kSerial, sink).run();
}

constexpr SystemRows kTablefuncRows[] = {{"tablefunc_crosstab", crosstab},
                                         {"tablefunc_crosstab_hash", crosstab_hash},
                                         {"tablefunc_connectby", connectby<false>},
                                         {"tablefunc_connectby_serial", connectby<true>}};

}  // namespace

std::span<const SystemRows> tablefunc_rows() { return kTablefuncRows; }

}  // namespace indigo::engine
