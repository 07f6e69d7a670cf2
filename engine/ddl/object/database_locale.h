// The locale that CREATE DATABASE gives a database: its options, what the template says where they are silent, and PostgreSQL's
// rules about which templates may have another one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/ddl/ddl.h"
#include "types/value/locale.h"

namespace indigo::engine::ddl {

class LocaleOptions {
 public:
  // False: the option is not one of a locale.
  Result<bool> read(std::string_view name, const std::string& value);
  // Of the new database; the template's where nothing is said.
  Result<types::Locale> resolve(const types::Locale& source) const;
  // datcollversion; empty: none.
  const std::string& version() const { return version_; }
  bool has_version() const { return has_version_; }

 private:
  std::optional<std::string> locale_, collate_, ctype_, icu_, provider_;
  std::string version_;
  bool has_version_ = false;
};

// 22023 unless the template's rows lie in the order that they have in the new database; template0 has none that matter.
Status check_same_locale(const types::Locale& locale, const types::Locale& source);

// ALTER DATABASE ... REFRESH COLLATION VERSION.
Status refresh_database_collation(DdlContext& c, std::string_view name);

// A name for CREATE COLLATION or CREATE DATABASE; 22023 in the words of the former.
Status check_libc_locale(const std::string& name);

}  // namespace indigo::engine::ddl
