// Descriptors: what stands beside a table's columns: inheritance, partition keys, views, rules, triggers, statistics.
#include <algorithm>

#include "catalog/descriptor/extended_statistics.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/descriptor/trigger_info.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_indexes.h"
#include "catalog/views/system_views.h"
#include "types/builtin/function_text.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/value/array_format.h"
#include "types/value/collator.h"

namespace indigo::catalog {

void InfoBuilder::add_inheritance(RelationInfo& relation, const RowReader& row) {
  relation.is_partition = row.flag(pg_class::c_relispartition);
  relation.partition_bound = row.str(pg_class::c_relpartbound);
  const SystemTable& t = database_.table(pg_inherits::kOid);
  t.scan(txn_, {Datum::of_oid(relation.oid)}, [&](RowReader inherits) {
    relation.parents.push_back(inherits.oid(pg_inherits::c_inhparent));
    relation.is_detaching |= inherits.flag(pg_inherits::c_inhdetachpending);
    return true;
  });
  if (!row.flag(pg_class::c_relhassubclass)) return;
  t.scan_index(txn_, system_index::kInheritsParent, {Datum::of_oid(relation.oid)}, [&](RowReader inherits) {
    const bool goes = inherits.flag(pg_inherits::c_inhdetachpending);
    (goes ? relation.detaching : relation.children).push_back(inherits.oid(pg_inherits::c_inhrelid));
    return true;
  });
  std::sort(relation.children.begin(), relation.children.end());
  if (!relation.is_partitioned()) return;
  const SystemTable& classes = database_.table(pg_class::kOid);
  std::string image;
  for (const Oid child : relation.children) {
    const bool found = classes.find_oid(txn_, child, image);
    relation.child_bounds.emplace_back(found ? classes.reader(image).str(pg_class::c_relpartbound) : Str());
  }
}

std::vector<types::HashKeyPart> PartitionKey::hash_parts() const {
  std::vector<types::HashKeyPart> out;
  for (size_t i = 0; i < columns.size(); i++) out.push_back({layout.column(i).type, columns[i].hash_function});
  return out;
}

// The class's seeded hash function (support function 2).
Oid InfoBuilder::hash_function(Oid opclass) {
  std::string image;
  const SystemTable& classes = database_.table(pg_opclass::kOid);
  if (!classes.find_oid(txn_, opclass, image)) return kInvalidOid;
  const Oid family = classes.reader(image).oid(pg_opclass::c_opcfamily);
  const Oid type = classes.reader(image).oid(pg_opclass::c_opcintype);
  Oid found = kInvalidOid;
  database_.table(pg_amproc::kOid).scan(txn_, {}, [&](RowReader row) {
    const bool it = row.oid(pg_amproc::c_amprocfamily) == family && row.oid(pg_amproc::c_amproclefttype) == type &&
                    row.i16(pg_amproc::c_amprocnum) == 2;
    if (it) found = row.oid(pg_amproc::c_amproc);
    return !it;
  });
  return found;
}

void InfoBuilder::add_partition_key(RelationInfo& relation) {
  relation.partition_map = std::make_shared<DerivedSlot>();
  std::string image;
  const SystemTable& t = database_.table(pg_partitioned_table::kOid);
  if (!t.find_oid(txn_, relation.oid, image)) return;
  const RowReader row = t.reader(image);
  auto key = std::make_shared<PartitionKey>();
  key->strategy = row.chr(pg_partitioned_table::c_partstrat);
  const auto columns = read_i16s(row.str(pg_partitioned_table::c_partattrs));
  const auto classes = read_oids(row.str(pg_partitioned_table::c_partclass));
  const auto collations = read_oids(row.str(pg_partitioned_table::c_partcollation));
  // The text has each expression's type before it: "23 (a + 1)".
  const auto expressions = types::split_default_texts(row.str(pg_partitioned_table::c_partexprs));
  std::vector<KeyColumn> layout;
  size_t expression = 0;
  for (size_t i = 0; i < columns.size(); i++) {
    PartitionKeyColumn column;
    column.column = columns[i];
    if (column.column > 0) {
      column.type = relation.columns[static_cast<size_t>(column.column) - 1].type;
    } else if (expression < expressions.size()) {
      const std::string& text = expressions[expression++];
      const size_t space = text.find(' ');
      column.type.oid = static_cast<Oid>(std::strtoul(text.c_str(), nullptr, 10));
      column.expression = text.substr(space + 1);
    }
    if (i < collations.size()) column.type.collation = collations[i];
    if (i < classes.size()) column.opclass = classes[i];
    if (key->strategy == 'h' && column.opclass >= oid::kFirstUserOid)
      column.hash_function = hash_function(column.opclass);
    KeyColumn k = key_column(column.type, column.opclass);
    k.nullable = false;
    if (k.collator != nullptr && k.collator->values() != nullptr) k.keep(k.collator->renewed());
    layout.push_back(k);
    key->columns.push_back(std::move(column));
  }
  key->layout = KeyLayout(std::move(layout));
  relation.partition_key = std::move(key);
}

void InfoBuilder::add_foreign_source(RelationInfo& relation) {
  std::string image;
  const SystemTable& tables = database_.table(pg_foreign_table::kOid);
  if (!tables.find_oid(txn_, relation.oid, image)) return;
  auto source = std::make_shared<ForeignSource>();
  const RowReader row = tables.reader(image);
  source->server = row.oid(pg_foreign_table::c_ftserver);
  if (!row.is_null(pg_foreign_table::c_ftoptions)) source->options = read_texts(row.str(pg_foreign_table::c_ftoptions));
  const SystemTable& servers = database_.table(pg_foreign_server::kOid);
  const SystemTable& wrappers = database_.table(pg_foreign_data_wrapper::kOid);
  std::string server, wrapper;
  if (servers.find_oid(txn_, source->server, server) &&
      wrappers.find_oid(txn_, servers.reader(server).oid(pg_foreign_server::c_srvfdw), wrapper)) {
    source->wrapper = wrappers.reader(wrapper).str(pg_foreign_data_wrapper::c_fdwname);
    source->handler = wrappers.reader(wrapper).oid(pg_foreign_data_wrapper::c_fdwhandler);
  }
  relation.foreign = std::move(source);
}

void InfoBuilder::add_view(RelationInfo& relation) {
  database_.table(pg_rewrite::kOid)
      .scan_index(txn_, system_index::kRewriteClass, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
        if (row.str(pg_rewrite::c_rulename) == "_RETURN") relation.view_definition = row.str(pg_rewrite::c_ev_action);
        return true;
      });
  if (!relation.view_definition.empty()) return;
  if (const SystemView* view = system_view(relation.schema, relation.name)) relation.view_definition = view->sql;
}

void InfoBuilder::add_rules(RelationInfo& relation) {
  auto set = std::make_shared<RuleSet>();
  database_.table(pg_rewrite::kOid)
      .scan_index(txn_, system_index::kRewriteClass, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
        RuleInfo rule;
        rule.event = row.chr(pg_rewrite::c_ev_type);
        if (rule.event == '1') return true;
        rule.oid = row.oid(pg_rewrite::c_oid);
        rule.name = row.str(pg_rewrite::c_rulename);
        rule.enabled = row.chr(pg_rewrite::c_ev_enabled);
        rule.instead = row.flag(pg_rewrite::c_is_instead);
        rule.conditional = row.str(pg_rewrite::c_ev_qual) != "<>";
        rule.tree = row.str(pg_rewrite::c_ev_action);
        set->rules.push_back(std::move(rule));
        return true;
      });
  std::sort(set->rules.begin(), set->rules.end(), [](const RuleInfo& a, const RuleInfo& b) { return a.name < b.name; });
  if (!set->rules.empty()) relation.rules = std::move(set);
}

void InfoBuilder::add_triggers(RelationInfo& relation) {
  auto set = std::make_shared<TriggerSet>();
  database_.table(pg_trigger::kOid)
      .scan_index(txn_, system_index::kTriggerRelation, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
        TriggerInfo t;
        t.oid = row.oid(pg_trigger::c_oid);
        t.name = row.str(pg_trigger::c_tgname);
        t.parent = row.oid(pg_trigger::c_tgparentid);
        t.function = row.oid(pg_trigger::c_tgfoid);
        t.type = row.i16(pg_trigger::c_tgtype);
        t.enabled = row.chr(pg_trigger::c_tgenabled);
        t.internal = row.flag(pg_trigger::c_tgisinternal);
        t.constraint = row.oid(pg_trigger::c_tgconstraint);
        t.constraint_relation = row.oid(pg_trigger::c_tgconstrrelid);
        t.deferrable = row.flag(pg_trigger::c_tgdeferrable);
        t.deferred = row.flag(pg_trigger::c_tginitdeferred);
        // The arguments stand one after the other, each with a zero byte behind it.
        for (Str bytes = row.str(pg_trigger::c_tgargs); !bytes.empty();) {
          const size_t end = std::min(bytes.find('\0'), bytes.size() - 1);
          t.arguments.emplace_back(bytes.substr(0, end));
          bytes.remove_prefix(end + 1);
        }
        t.columns = read_i16s(row.str(pg_trigger::c_tgattr));
        t.condition = row.str(pg_trigger::c_tgqual);
        t.old_table = row.str(pg_trigger::c_tgoldtable);
        t.new_table = row.str(pg_trigger::c_tgnewtable);
        set->add(std::move(t));
        return true;
      });
  std::sort(set->triggers.begin(), set->triggers.end(),
            [](const TriggerInfo& a, const TriggerInfo& b) { return a.name < b.name; });
  if (!set->triggers.empty()) relation.triggers = std::move(set);
}

namespace {

// `field`: a column of pg_statistic in what is read.
template <typename Field>
ColumnStatistics column_statistics(const Field& field) {
  ColumnStatistics s;
  s.null_fraction = field(pg_statistic::c_stanullfrac).f32;
  s.average_width = field(pg_statistic::c_stawidth).i32;
  s.distinct = field(pg_statistic::c_stadistinct).f32;
  for (int slot = 0; slot < 5; slot++) {
    const int kind = field(pg_statistic::c_stakind1 + slot).i16;
    const Datum values = field(pg_statistic::c_stavalues1 + slot);
    if ((kind != 1 && kind != 2) || values.null || values.str.empty()) continue;
    const ArrayView array(values.str);
    auto& into = kind == 1 ? s.common_values : s.histogram;
    into.reserve(into.size() + static_cast<size_t>(array.count()));
    for (int32_t i = 0; i < array.count(); i++) into.emplace_back(array.element(i));
    if (kind != 1) continue;
    const Datum numbers = field(pg_statistic::c_stanumbers1 + slot);
    if (numbers.null || numbers.str.empty()) continue;
    const ArrayView frequencies(numbers.str);
    s.common_frequencies.reserve(static_cast<size_t>(frequencies.count()));
    for (int32_t i = 0; i < frequencies.count(); i++) s.common_frequencies.push_back(frequencies.element(i).f32);
  }
  return s;
}

// What ANALYZE has found of the expressions: an array of rows of pg_statistic.
void read_expression_statistics(Str image, ExtendedStatistics& into) {
  const ArrayView rows(image);
  for (int32_t i = 0; i < rows.count(); i++) {
    const Datum row = rows.element(i);
    into.expression_statistics.push_back(row.null ? ColumnStatistics() : column_statistics([&](int column) {
      TypeRef type;
      const auto found = types::field_at(row.str, static_cast<size_t>(column), type);
      return found ? *found : Datum::make_null(Phys::kStr);
    }));
  }
}

}  // namespace

void InfoBuilder::add_statistics(RelationInfo& relation) {
  database_.table(pg_statistic::kOid).scan(txn_, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
    const auto number = static_cast<size_t>(row.i16(pg_statistic::c_staattnum));
    if (number < 1 || number > relation.columns.size()) return true;
    const bool of_tree = row.flag(pg_statistic::c_stainherit) && !relation.is_partitioned();
    auto& into = of_tree ? relation.tree_statistics : relation.statistics;
    into.resize(relation.columns.size());
    into[number - 1] = column_statistics([&](int column) { return row.datum(column); });
    return true;
  });
  add_extended_statistics(relation);
}

void InfoBuilder::add_extended_statistics(RelationInfo& relation) {
  std::vector<ExtendedStatistics> all;
  const SystemTable& found = database_.table(pg_statistic_ext_data::kOid);
  const auto visit = [&](RowReader row) {
    ExtendedStatistics s;
    s.columns = read_i16s(row.str(pg_statistic_ext::c_stxkeys));
    s.expressions = types::split_default_texts(row.str(pg_statistic_ext::c_stxexprs));
    std::string image;
    const Datum inherited = Datum::of(relation.is_partitioned());
    if (found.find(txn_, {Datum::of_oid(row.oid(pg_statistic_ext::c_oid)), inherited}, image)) {
      const RowReader data = found.reader(image);
      s.distinct = read_combinations(data.str(pg_statistic_ext_data::c_stxdndistinct));
      s.dependencies = read_combinations(data.str(pg_statistic_ext_data::c_stxddependencies));
      s.common = read_common(data.str(pg_statistic_ext_data::c_stxdmcv));
      if (!data.is_null(pg_statistic_ext_data::c_stxdexpr))
        read_expression_statistics(data.str(pg_statistic_ext_data::c_stxdexpr), s);
    }
    all.push_back(std::move(s));
    return true;
  };
  database_.table(pg_statistic_ext::kOid)
      .scan_index(txn_, system_index::kStatisticsTable, {Datum::of_oid(relation.oid)}, visit);
  if (!all.empty())
    relation.extended_statistics = std::make_shared<const std::vector<ExtendedStatistics>>(std::move(all));
}

}  // namespace indigo::catalog
