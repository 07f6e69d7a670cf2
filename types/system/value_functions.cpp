// Small functions about values: counting nulls, random uuids, the types of an oidvector, options.
#include <algorithm>
#include <cmath>

#include "base/entropy.h"
#include "base/sqlstate.h"
#include "types/bytes/value_hash.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/system/object_name.h"
#include "types/system/type_name.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

std::optional<int32_t> count_nulls(const CallInfo& call, std::span<const Datum> values, bool nulls_wanted) {
  int32_t nulls = 0, all = static_cast<int32_t>(values.size());
  if (call.variadic_array) {
    if (values[0].null) return {};
    const ArrayView array(values[0].str);
    all = array.count();
    for (int32_t i = 0; i < all; i++) nulls += array.is_null(i);
  } else {
    for (const Datum& d : values) nulls += d.null;
  }
  return nulls_wanted ? nulls : all - nulls;
}
std::optional<int32_t> num_nulls(FuncContext&, const CallInfo& call, std::span<const Datum> values) {
  return count_nulls(call, values, true);
}
std::optional<int32_t> num_nonnulls(FuncContext&, const CallInfo& call, std::span<const Datum> values) {
  return count_nulls(call, values, false);
}

Uuid random_uuid(FuncContext& context) {
  Uuid u{};
  if (!fill_random(u.bytes, sizeof u.bytes)) {
    context.fail(sqlstate::kInternalError, "could not generate random values");
    return u;
  }
  u.bytes[6] = static_cast<uint8_t>((u.bytes[6] & 0x0f) | 0x40);
  u.bytes[8] = static_cast<uint8_t>((u.bytes[8] & 0x3f) | 0x80);
  return u;
}

std::string vector_types(FuncContext& context, Str vector) {
  const ArrayView types(vector);
  std::string text;
  for (int32_t i = 0; i < types.count(); i++)
    text.append(i == 0 ? "" : ", ").append(format_type(context, types.element(i).oid()));
  return text;
}

int32_t text_to_regclass(FuncContext& context, Str text) {
  Result<Oid> found = find_relation_oid(context, text);
  if (found.ok()) return static_cast<int32_t>(*found);
  context.fail(std::move(*found.take_error()));
  return 0;
}

// May equal keys of an index be kept once? Yes where equality means equal bytes.
bool equal_image(int32_t) { return true; }
bool text_equal_image(FuncContext& context, const CallInfo& call, int32_t) {
  if (call.collation == kInvalidOid)
    context.fail(
        Error(sqlstate::kIndeterminateCollation, "could not determine which collation to use for string comparison")
            .with_hint("Use the COLLATE clause to set the collation explicitly."));
  return true;
}

// Size and seed of a sample, where they are not constant: true, or why not (sql/plan/rewrite/sampling.cpp). A percentage is
// real, a number of rows bigint, a time in milliseconds double precision.
std::optional<bool> check_sample(FuncContext& context, const CallInfo&, std::span<const Datum> values) {
  if (values[0].null) {
    context.fail(SqlState("2202H"), "TABLESAMPLE parameter cannot be null");
  } else if (values[0].phys == Phys::kI64) {
    if (values[0].i64 < 0) context.fail(SqlState("2202H"), "sample size must not be negative");
  } else if (values[0].phys == Phys::kF64) {
    if (std::isnan(values[0].f64) || values[0].f64 < 0)
      context.fail(SqlState("2202H"), "sample collection time must not be negative");
  } else if (std::isnan(values[0].f32) || values[0].f32 < 0 || values[0].f32 > 100) {
    context.fail(SqlState("2202H"), "sample percentage must be between 0 and 100");
  } else if (values.size() > 1 && values[1].null) {
    context.fail(SqlState("2202G"), "TABLESAMPLE REPEATABLE parameter cannot be null");
  }
  return true;
}
// Does a row with these key values belong to the hash partition with this modulus and remainder?
std::optional<bool> satisfies_hash_partition(FuncContext& context, const CallInfo&, std::span<const Datum> values) {
  if (values.size() < 3 || values[0].null || values[1].null || values[2].null) return false;
  const auto refuse = [&](std::string message) {
    context.fail(sqlstate::kInvalidParameterValue, std::move(message));
    return false;
  };
  CatalogContext& catalog = context.session().catalog();
  const auto relation = catalog.row_shape(values[0].oid());
  const int32_t modulus = values[1].i32, remainder = values[2].i32;
  if (relation == nullptr) return refuse("could not open relation with OID " + std::to_string(values[0].oid()));
  const auto parts = catalog.hash_partition_key(values[0].oid());
  if (!parts) return refuse("\"" + relation->name + "\" is not a hash partitioned table");
  if (modulus <= 0) return refuse("modulus for hash partition must be an integer value greater than zero");
  if (remainder < 0)
    return refuse("remainder for hash partition must be an integer value greater than or equal to zero");
  if (remainder >= modulus) return refuse("remainder for hash partition must be less than modulus");
  const auto key = values.subspan(3);
  if (key.size() != parts->size()) {
    return refuse("number of partitioning columns (" + std::to_string(parts->size()) +
                  ") does not match number of partition keys provided (" + std::to_string(key.size()) + ")");
  }
  return hash_partition_key(context, *parts, key) % static_cast<uint64_t>(modulus) == static_cast<uint64_t>(remainder);
}
// There are no multixacts here: the next would be the first.
int32_t age_of_multixact(FuncContext&, int32_t multixact) {
  constexpr uint32_t kNext = 1;
  return multixact == 0 ? INT32_MAX : static_cast<int32_t>(kNext - static_cast<uint32_t>(multixact));
}
bool recovery_control(FuncContext& context) {
  context.fail(Error(sqlstate::kObjectNotInPrerequisiteState, "recovery is not in progress")
                   .with_hint("Recovery control functions can only be executed during recovery."));
  return false;
}
std::string recovery_control_text(FuncContext& context) {
  recovery_control(context);
  return {};
}

// What a server of libpq's and a user mapping of one may say.
bool check_libpq_options(FuncContext& context, Str options, Oid class_id) {
  constexpr Oid kForeignServer = 1417, kUserMapping = 1418;  // the system tables
  constexpr std::string_view kOfServer[] = {
      "authtype", "service", "connect_timeout", "dbname",     "host",    "hostaddr",
      "port",     "tty",     "options",         "requiressl", "sslmode", "gsslib"};
  constexpr std::string_view kOfMapping[] = {"user", "password"};
  std::span<const std::string_view> known;
  if (class_id == kForeignServer) known = kOfServer;
  if (class_id == kUserMapping) known = kOfMapping;
  for (const std::string& option : read_texts(options)) {
    const std::string name = option.substr(0, option.find('='));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string valid;
    for (const std::string_view one : known) valid += (valid.empty() ? "" : ", ") + std::string(one);
    context.fail(Error(sqlstate::kSyntaxError, "invalid option \"" + name + "\"")
                     .with_hint(known.empty() ? "There are no valid options in this context."
                                              : "Valid options in this context are: " + valid));
    return false;
  }
  return true;
}

const ScalarEntry kValueEntries[] = {
    {"mxid_age", kernel<age_of_multixact>},
    {"pg_is_wal_replay_paused", kernel<recovery_control>},
    {"pg_wal_replay_pause", kernel<recovery_control_text>},
    {"pg_wal_replay_resume", kernel<recovery_control_text>},
    {"pg_get_wal_replay_pause_state", kernel<recovery_control_text>},
    {"pg_num_nulls", any_kernel<num_nulls>},
    {"pg_num_nonnulls", any_kernel<num_nonnulls>},
    {"gen_random_uuid", kernel<random_uuid>},
    {"oidvectortypes", kernel<vector_types>},
    {"text_regclass", kernel<text_to_regclass>},
    {"btequalimage", kernel<equal_image>},
    {"btvarstrequalimage", kernel<text_equal_image>},
    {"tsm_system_handler", any_kernel<check_sample>},
    {"postgresql_fdw_validator", kernel<check_libpq_options>},
    {"satisfies_hash_partition", any_kernel<satisfies_hash_partition>},
};

}  // namespace

std::span<const ScalarEntry> value_functions() { return kValueEntries; }

}  // namespace indigo::types
