// FROM: joins, and what stands in them.
#include <algorithm>

#include "sql/query_deparser.h"
#include "sql/sample_method.h"
#include "sql/xml_constructs.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/text/strings.h"

namespace indigo::sql {

namespace {

constexpr Oid kUnnest{2331};  // of an array

}  // namespace

const Entry* QueryDeparser::bare_values(const Query& query) {
  if (query.from == nullptr || !query.from->leaf || query.where != nullptr) return nullptr;
  const Entry& e = query.entries[static_cast<size_t>(query.from->entry)];
  return e.kind == EntryKind::kValues && e.alias == "*VALUES*" ? &e : nullptr;
}

std::string QueryDeparser::value_rows(const Entry& e) const {
  std::string out;
  for (const ExprList& row : e.values) {
    out += out.empty() ? "(" : ", (";
    for (size_t i = 0; i < row.size(); i++) out += (i == 0 ? "" : ",") + value(row[i]);
    out += ")";
  }
  return out;
}

std::string QueryDeparser::from_list(const Query& query, const JoinNode& node, int level) const {
  if (!node.leaf && !node.written && node.type == JoinType::kInner && node.condition == nullptr)
    return from_list(query, *node.left, level) + "," + line(level, 4) + from_item(query, *node.right, level);
  return from_item(query, node, level);
}

std::string QueryDeparser::from_item(const Query& query, const JoinNode& node, int level) const {
  if (node.leaf) return entry_text(query.entries[static_cast<size_t>(node.entry)], level);
  if (node.alias.empty()) return join_text(query, node, level);
  inside_.insert(&node);
  std::string out = join_text(query, node, level);
  inside_.erase(&node);
  if (options_.pretty) out = "(" + out + ")";
  out += " " + types::quote_identifier(join_names_[&node]);
  if (!node.alias_has_columns) return out;
  std::vector<std::string> columns;
  for (const JoinColumn& column : shown_columns(query, node)) columns.push_back(column.name);
  return out + "(" + name_list(columns) + ")";
}

std::string QueryDeparser::join_text(const Query& query, const JoinNode& node, int level) const {
  static constexpr const char* kJoins[] = {"JOIN ", "LEFT JOIN ", "RIGHT JOIN ", "FULL JOIN "};
  if (static_cast<size_t>(node.type) >= std::size(kJoins)) return fail();
  std::string out = from_item(query, *node.left, level) + line(level, 5);
  const bool cross = node.condition == nullptr && node.type == JoinType::kInner;
  out += cross ? "CROSS JOIN " : kJoins[static_cast<int>(node.type)];
  const std::string right = from_item(query, *node.right, level);
  out += options_.pretty && !node.right->leaf && node.right->alias.empty() ? "(" + right + ")" : right;
  if (!node.using_columns.empty()) {
    out += " USING (" + name_list(using_names(node)) + ")";
    if (!node.using_alias.empty()) out += " AS " + types::quote_identifier(node.using_alias);
  } else if (!cross) {
    const std::string condition = node.condition == nullptr ? "true" : value(node.condition);
    out += options_.pretty ? " ON " + condition : " ON (" + condition + ")";
  }
  return options_.pretty ? out : "(" + out + ")";
}

QueryDeparser::Called QueryDeparser::called(catalog::CatalogView& catalog, const Entry& e, const Entry::Function& f,
                                            size_t first) {
  Called out{f.call, f.call->type.oid == oid::kRecord, {}, {}};
  const auto* call = try_as<CallExpr>(f.call);
  const auto info = call == nullptr ? nullptr : catalog.function(call->function);
  if (info != nullptr) {
    const auto& modes = info->argument_modes;
    if (std::any_of(modes.begin(), modes.end(), [](char m) { return m == 'o' || m == 'b' || m == 't'; }))
      out.defined = false;
  }
  if (!out.defined) return out;
  const auto count = static_cast<size_t>(f.column_count);
  const auto at = static_cast<ptrdiff_t>(first), end = static_cast<ptrdiff_t>(first + count);
  out.names.assign(e.column_names.begin() + at, e.column_names.begin() + end);
  out.types.assign(e.column_types.begin() + at, e.column_types.begin() + end);
  // What the analyzer told the function of its row's shape was not written, but has the names that were.
  if (info == nullptr || call->arguments.size() != info->arguments.size() + 1) return out;
  const auto* shape = try_as<ConstExpr>(call->arguments.back());
  if (shape == nullptr || shape->type.oid != oid::kRecord) return out;
  const types::RecordFields fields = types::read_record(shape->value.get().str);
  if (fields.names.size() == count) out.names.assign(fields.names.begin(), fields.names.end());
  auto bare = std::make_shared<CallExpr>(*call);
  bare->arguments.pop_back();
  out.call = std::move(bare);
  return out;
}

std::string QueryDeparser::functions(const Entry& e) const {
  std::vector<Called> calls;
  size_t first = 0;
  bool unnests = true;
  for (const Entry::Function& f : e.functions) {
    calls.push_back(called(catalog_, e, f, first));
    first += static_cast<size_t>(f.column_count);
    const auto* call = try_as<CallExpr>(f.call);
    unnests = unnests && call != nullptr && call->function == kUnnest;
  }
  std::string out;
  if (calls.size() == 1 && (!calls[0].defined || !e.with_ordinality)) {
    out = value(calls[0].call);
  } else if (unnests) {
    for (const Called& c : calls) out += (out.empty() ? "UNNEST(" : ", ") + list(as<CallExpr>(*c.call).arguments);
    out += ")";
  } else {
    for (const Called& c : calls) {
      out += (out.empty() ? "ROWS FROM(" : ", ") + value(c.call);
      if (c.defined) out += " AS (" + definitions(c) + ")";
    }
    out += ")";
  }
  return e.with_ordinality ? out + " WITH ORDINALITY" : out;
}

std::string QueryDeparser::definitions(const Called& call) const {
  std::string out;
  for (size_t i = 0; i < call.names.size(); i++) {
    const TypeRef& type = call.types[i];
    out +=
        (out.empty() ? "" : ", ") + types::quote_identifier(call.names[i]) + " " + deparse_type(catalog_, type, false);
    const auto info = catalog_.type(type.oid);
    if (type.collation != kInvalidOid && info != nullptr && info->collation != type.collation)
      out += " COLLATE " + deparse_collation(catalog_, type.collation, false);
  }
  return out;
}

std::string QueryDeparser::sampled(const Entry::Sample& sample) const {
  if (sample.percent_expr == nullptr) return fail();
  if (const CallExpr* call = handler_call(sample))
    return " TABLESAMPLE " + function_name(call->function) + " (" + value(call->arguments[0]) + ")";
  std::string out = " TABLESAMPLE " + types::quote_identifier(sample.method) + " (" + value(sample.percent_expr) + ")";
  return sample.repeatable == nullptr ? out : out + " REPEATABLE (" + value(sample.repeatable) + ")";
}

// Where an item of a WITH around has the relation's name, the name alone would be the item's.
std::string QueryDeparser::relation_name(const catalog::RelationInfo& relation) const {
  const auto named = [&](const CommonTable& item) { return item.name == relation.name; };
  const auto hides = [&](const Query* q) { return std::any_of(q->ctes.begin(), q->ctes.end(), named); };
  const auto found = catalog_.find_relation("", relation.name);
  const bool alone =
      found != nullptr && found->oid == relation.oid && std::none_of(queries_.begin(), queries_.end(), hides);
  return (alone ? "" : types::quote_identifier(relation.schema_name) + ".") + types::quote_identifier(relation.name);
}

std::string QueryDeparser::entry_text(const Entry& e, int level) const {
  std::string out = e.lateral && e.kind != EntryKind::kTable ? "LATERAL " : "";
  std::vector<std::string> own;  // the column names without an alias list
  bool aliased = true, always_columns = false;
  switch (e.kind) {
    case EntryKind::kSubquery:
      if (e.relation == nullptr) {
        out += "(" + text(*e.subquery, {}, level + 1, true) + ")";
        for (const TargetEntry& t : e.subquery->targets)
          if (!t.hidden) own.push_back(t.name);
        always_columns = e.names_columns;
        break;
      }
      [[fallthrough]];
    case EntryKind::kTable: {
      if (e.only) out += "ONLY ";
      out += relation_name(*e.relation);
      aliased = e.alias_written || entry_name(e) != e.relation->name;
      for (const auto& c : e.relation->columns) own.push_back(c.dropped ? std::string() : c.name);
      break;
    }
    case EntryKind::kFunction: {
      if (const auto* call = e.functions.size() == 1 ? try_as<CallExpr>(e.functions[0].call) : nullptr;
          call != nullptr && call->function == xml_construct::kTable) {
        out += value(e.functions[0].call);
        always_columns = e.names_columns;
        own = e.column_names;
        aliased = entry_name(e) != "xmltable";
        break;
      }
      out += functions(e);
      if (e.functions.size() == 1 && !e.with_ordinality) {
        if (Called call = called(catalog_, e, e.functions[0], 0); call.defined) {
          call.names = columns_of(e);
          return out + " " + types::quote_identifier(entry_name(e)) + "(" + definitions(call) + ")";
        }
      }
      always_columns = true;
      break;
    }
    case EntryKind::kValues:
      if (e.alias == "*VALUES*") {  // of a query that had no FROM
        out += "(VALUES " + value_rows(e) + ")";
        aliased = true;
        own = e.column_names;
        break;
      }
      out += "( VALUES " + value_rows(e) + ")";
      always_columns = true;
      break;
    case EntryKind::kCte: {
      const auto up = static_cast<size_t>(e.cte_levels_up);
      if (up >= queries_.size() || e.cte < 0) return fail();
      const CommonTable& table = queries_[queries_.size() - 1 - up]->ctes[static_cast<size_t>(e.cte)];
      out += types::quote_identifier(table.name);
      aliased = e.alias_written || entry_name(e) != table.name;
      own = e.column_names;
      always_columns = e.names_columns;
      break;
    }
    default: failed_ = true; break;
  }
  const std::vector<std::string>& names = columns_of(e);
  const bool columns_too = always_columns || own != names;
  if (aliased || columns_too) out += " " + types::quote_identifier(entry_name(e));
  if (columns_too) {
    std::string columns;
    for (const std::string& name : names)
      if (!name.empty()) columns += (columns.empty() ? "" : ", ") + types::quote_identifier(name);
    out += "(" + columns + ")";
  }
  return e.sample ? out + sampled(*e.sample) : out;
}
}  // namespace indigo::sql
