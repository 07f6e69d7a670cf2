// Sets that need no rows of the catalog: keywords, time zones, an access list's or options' entries.
#include <filesystem>

#include "base/sqlstate.h"
#include "types/datetime/time_zone.h"
#include "types/datetime/zone_files.h"
#include "types/function/families.h"
#include "types/set/producer.h"
#include "types/system/acl_item.h"
#include "types/text/keywords.h"
#include "types/value/acl.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

using Producer = std::unique_ptr<SetProducer>;

Producer keyword_rows(FuncContext&, const CallInfo&, std::span<const Datum>) {
  auto rows = std::make_unique<RowSet>();
  for (const Keyword& k : keywords()) {
    const char* category = "unreserved";
    if (k.category == 'C') category = "unreserved (cannot be function or type name)";
    if (k.category == 'T') category = "reserved (can be function or type name)";
    if (k.category == 'R') category = "reserved";
    rows->add({rows->text(k.word), rows->text(Str(&k.category, 1)), Datum::of(k.bare_label), rows->text(category),
               rows->text(k.bare_label ? "can be bare label" : "requires AS")});
  }
  return rows;
}

Datum offset_datum(int32_t seconds_east) { return Datum::of(Interval{int64_t{seconds_east} * 1000000, 0, 0}); }

Producer abbreviation_rows(FuncContext&, const CallInfo&, std::span<const Datum>) {
  auto rows = std::make_unique<RowSet>();
  for (const ZoneAbbreviation& z : zone_abbreviations()) {
    std::string name(z.name);
    for (char& c : name)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    rows->add({rows->text(name), offset_datum(z.seconds_east), Datum::of(z.daylight)});
  }
  return rows;
}

Producer zone_rows(FuncContext& context, const CallInfo&, std::span<const Datum>) {
  auto rows = std::make_unique<RowSet>();
  const int64_t now = context.session().transaction_timestamp();
  visit_zone_names([&](const std::string& name) {
    const auto zone = find_time_zone(name);
    if (zone == nullptr) return;
    const TimeZone::Offset offset = zone->at(now);
    rows->add({rows->text(name), rows->text(offset.abbreviation), offset_datum(offset.seconds_east),
               Datum::of(offset.daylight)});
  });
  return rows;
}

constexpr const char* kPrivilegeNames[] = {"INSERT",     "SELECT",  "UPDATE",  "DELETE",      "TRUNCATE",
                                           "REFERENCES", "TRIGGER", "EXECUTE", "USAGE",       "CREATE",
                                           "TEMPORARY",  "CONNECT", "SET",     "ALTER SYSTEM"};

Producer explode_acl(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments) || !check_acl_array(context, arguments[0].str)) return empty_set();
  auto rows = std::make_unique<RowSet>();
  for (const AclItem& item : read_acl(arguments[0].str)) {
    for (size_t bit = 0; bit < std::size(kPrivilegeNames); bit++) {
      if ((item.privileges >> bit & 1) == 0) continue;
      rows->add({Datum::of_oid(item.grantor), Datum::of_oid(item.grantee), rows->text(kPrivilegeNames[bit]),
                 Datum::of((item.options >> bit & 1) != 0)});
    }
  }
  return rows;
}

Producer option_rows(FuncContext&, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  auto rows = std::make_unique<RowSet>();
  const ArrayView options(arguments[0].str);
  for (int32_t i = 0; i < options.count(); i++) {
    if (options.is_null(i)) continue;
    const Str option = options.element(i).str;
    const size_t equals = option.find('=');
    rows->add({rows->text(option.substr(0, equals)),
               equals == Str::npos ? Datum::make_null(Phys::kStr) : rows->text(option.substr(equals + 1))});
  }
  return rows;
}

// information_schema._pg_expandarray: elements and their positions from 1.
Producer expand_array(FuncContext&, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  auto rows = std::make_unique<RowSet>();
  const ArrayView array(arguments[0].str);
  for (int32_t i = 0; i < array.count(); i++) rows->add({rows->keep(array.element(i)), Datum::of(i + 1)});
  return rows;
}

constexpr SetEntry kInformationSetsEntries[] = {
    {"pg_get_keywords", keyword_rows},    {"pg_timezone_abbrevs", abbreviation_rows},
    {"pg_timezone_names", zone_rows},     {"aclexplode", explode_acl},
    {"pg_options_to_table", option_rows}, {"_pg_expandarray(anyarray)", expand_array},
};

}  // namespace

std::span<const SetEntry> information_sets() { return kInformationSetsEntries; }

}  // namespace indigo::types
