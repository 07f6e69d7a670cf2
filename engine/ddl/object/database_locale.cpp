#include "engine/ddl/object/database_locale.h"

#include "catalog/catalog.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

constexpr const char* kProviderNames[] = {"libc", "icu"};

const char* provider_name(char provider) { return kProviderNames[provider == 'i' ? 1 : 0]; }

Error incompatible(const std::string& what, const std::string& of, const std::string& own, const std::string& source,
                   const std::string& same) {
  return Error(sqlstate::kInvalidParameterValue, "new " + what + " (" + own + ") is incompatible with the " + of +
                                                     " of the template database (" + source + ")")
      .with_hint("Use the same " + same + " as in the template database, or use template0 as template.");
}

// The server's environment says nothing: it is C.
std::string or_environment(const std::string& name) { return name.empty() ? "C" : name; }

}  // namespace

Result<bool> LocaleOptions::read(std::string_view name, const std::string& value) {
  if (name == "locale") {
    locale_ = value;
  } else if (name == "lc_collate") {
    collate_ = value;
  } else if (name == "lc_ctype") {
    ctype_ = value;
  } else if (name == "icu_locale") {
    icu_ = value;
  } else if (name == "locale_provider") {
    if (value != "icu" && value != "libc")
      return Error(sqlstate::kInvalidObjectDefinition, "unrecognized locale provider: " + value);
    provider_ = value;
  } else if (name == "collation_version") {
    version_ = value;
    has_version_ = true;
  } else {
    return false;
  }
  return true;
}

Result<types::Locale> LocaleOptions::resolve(const types::Locale& source) const {
  types::Locale out;
  out.provider = provider_ ? (*provider_ == "icu" ? 'i' : 'c') : source.provider;
  out.collate = or_environment(collate_ ? *collate_ : locale_ ? *locale_ : source.collate);
  out.ctype = or_environment(ctype_ ? *ctype_ : locale_ ? *locale_ : source.ctype);
  for (const std::string& name : {out.collate, out.ctype}) {
    if (!types::libc_locale(name)) return Error(sqlstate::kWrongObjectType, "invalid locale name: " + quoted(name));
  }
  if (out.provider == 'i') {
    if (!icu_ && source.provider != 'i') {
      return Error(sqlstate::kInvalidParameterValue, "ICU locale must be specified");
    }
    out.icu = icu_ ? *icu_ : source.icu;
  } else if (icu_) {
    return Error(sqlstate::kInvalidObjectDefinition, "ICU locale cannot be specified unless locale provider is ICU");
  }
  return out;
}

Status check_same_locale(const types::Locale& locale, const types::Locale& source) {
  if (locale.collate != source.collate) {
    return incompatible("collation", "collation", locale.collate, source.collate, "collation");
  }
  if (locale.ctype != source.ctype) return incompatible("LC_CTYPE", "LC_CTYPE", locale.ctype, source.ctype, "LC_CTYPE");
  if (locale.provider != source.provider) {
    return Error(sqlstate::kInvalidParameterValue, std::string("new locale provider (") +
                                                       provider_name(locale.provider) +
                                                       ") does not match locale provider of the template database (" +
                                                       provider_name(source.provider) + ")")
        .with_hint("Use the same locale provider as in the template database, or use template0 as template.");
  }
  if (locale.icu != source.icu) return incompatible("ICU locale", "ICU locale", locale.icu, source.icu, "ICU locale");
  return {};
}

Status refresh_database_collation(DdlContext& c, std::string_view name) {
  SystemTable& databases = table(c, pg_database::kOid);
  Oid oid = kInvalidOid, owner = kInvalidOid;
  std::string version, actual;
  bool has_version = false;
  databases.scan_index(c.txn, system_index::kDatabaseName, {Datum::of(Str(name))}, [&](RowReader row) {
    oid = row.oid(pg_database::c_oid);
    owner = row.oid(pg_database::c_datdba);
    has_version = !row.is_null(pg_database::c_datcollversion);
    if (has_version) version = row.str(pg_database::c_datcollversion);
    actual = c.catalog.catalog().collation_version(catalog::locale_of(row));
    return false;
  });
  if (oid == kInvalidOid) {
    return Error(sqlstate::kInvalidCatalogName, "database " + quoted(name) + " does not exist");
  }
  INDIGO_TRY(check_owner(c, owner, "database", name));
  if (has_version == actual.empty()) {
    return Error(sqlstate::kInternalError, "invalid collation version change");
  }
  if (version == actual) {
    notice(c, "version has not changed");
    return {};
  }
  notice(c, "changing version from " + version + " to " + actual);
  INDIGO_TRY(update_row(c, pg_database::kOid, {Datum::of_oid(oid)},
                        [&](RowValues& v) { v.str(pg_database::c_datcollversion, actual); }));
  c.catalog.changed_shared();
  return {};
}

Status check_libc_locale(const std::string& name) {
  if (types::libc_locale(name)) return {};
  return Error(sqlstate::kInvalidParameterValue,
               "could not create locale " + quoted(name) + ": No such file or directory")
      .with_detail(types::no_locale_data(name));
}

}  // namespace indigo::engine::ddl
