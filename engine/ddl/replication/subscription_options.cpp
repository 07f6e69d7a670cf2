#include "engine/ddl/replication/subscription_options.h"

#include <algorithm>
#include <charconv>

#include "engine/ddl/tree.h"
#include "engine/settings/setting_table.h"

namespace indigo::engine::ddl {

namespace {

constexpr size_t kSlotNameMax = 63;

Status check_slot_name(const std::string& name) {
  const auto refused = [&](SqlState state, const char* why) {
    return Error(state, "replication slot name " + quoted(name) + " " + why);
  };
  if (name.empty()) return refused(sqlstate::kInvalidName, "is too short");
  if (name.size() > kSlotNameMax) return refused(SqlState("42622"), "is too long");
  for (const char ch : name) {
    if ((ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') || ch == '_') continue;
    return refused(sqlstate::kInvalidName, "contains invalid character")
        .with_hint(
            "Replication slot names may only contain lower case letters, numbers, and the underscore character.");
  }
  return {};
}

// "16/B374D848": two numbers of at most eight hexadecimal digits.
std::optional<int64_t> read_lsn(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  uint32_t parts[2] = {};
  const std::string_view written[2] = {text.substr(0, slash), text.substr(slash + 1)};
  for (int i = 0; i < 2; i++) {
    const auto [end, failed] = std::from_chars(written[i].data(), written[i].data() + written[i].size(), parts[i], 16);
    if (failed != std::errc() || end != written[i].data() + written[i].size()) return std::nullopt;
  }
  return static_cast<int64_t>(uint64_t{parts[0]} << 32 | parts[1]);
}

Result<int64_t> skipped_lsn(const std::string& text) {
  if (text == "none") return int64_t{0};
  const auto lsn = read_lsn(text);
  if (!lsn) return Error(sqlstate::kInvalidTextRepresentation, "invalid input syntax for type pg_lsn: " + quoted(text));
  if (*lsn == 0) return Error(sqlstate::kInvalidParameterValue, "invalid WAL location (LSN): " + text);
  return *lsn;
}

std::optional<bool>* flag_named(SubscriptionOptions& o, std::string_view name) {
  struct Flag {
    std::string_view name;
    std::optional<bool> SubscriptionOptions::*member;
  };
  constexpr Flag kFlags[] = {{"connect", &SubscriptionOptions::connect},
                             {"enabled", &SubscriptionOptions::enabled},
                             {"create_slot", &SubscriptionOptions::create_slot},
                             {"copy_data", &SubscriptionOptions::copy_data},
                             {"refresh", &SubscriptionOptions::refresh},
                             {"binary", &SubscriptionOptions::binary},
                             {"streaming", &SubscriptionOptions::streaming},
                             {"two_phase", &SubscriptionOptions::two_phase},
                             {"disable_on_error", &SubscriptionOptions::disable_on_error}};
  for (const Flag& f : kFlags) {
    if (f.name == name) return &(o.*f.member);
  }
  return nullptr;
}

Error exclusive(const char* one, const char* other) {
  return Error(sqlstate::kSyntaxError, std::string(one) + " and " + other + " are mutually exclusive options");
}

}  // namespace

Result<SubscriptionOptions> read_subscription_options(DdlContext& c, NodeList list,
                                                      std::initializer_list<std::string_view> known) {
  SubscriptionOptions out;
  for (const PgQuery__Node* node : list) {
    const PgQuery__DefElem& d = *node->def_elem;
    const std::string_view name = d.defname;
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Error(sqlstate::kSyntaxError, "unrecognized subscription parameter: " + quoted(name));
    std::optional<bool>* flag = flag_named(out, name);
    const bool again = flag != nullptr       ? flag->has_value()
                       : name == "slot_name" ? out.slot.has_value()
                       : name == "lsn"       ? out.skip_lsn.has_value()
                                             : out.synchronous_commit.has_value();
    if (again) return Error(sqlstate::kSyntaxError, "conflicting or redundant options").at(position(c, d.location));
    if (flag != nullptr) {
      INDIGO_ASSIGN(*flag, boolean_value(&d));
      continue;
    }
    if (sql::absent(d.arg)) return Error(sqlstate::kSyntaxError, std::string(name) + " requires a parameter");
    const std::string text = text_value(d.arg);
    if (name == "slot_name") {
      out.slot.emplace();
      if (text == "none") continue;
      INDIGO_TRY(check_slot_name(text));
      out.slot->name = text;
    } else if (name == "lsn") {
      INDIGO_ASSIGN(out.skip_lsn, skipped_lsn(text));
    } else {
      INDIGO_TRY(parse_setting(setting_table()[*find_setting("synchronous_commit")], text));
      out.synchronous_commit = text;
    }
  }
  return out;
}

Status check_subscription_options(const SubscriptionOptions& o) {
  const bool connect = o.connect.value_or(true);
  if (!connect) {
    if (o.enabled.value_or(false)) return exclusive("connect = false", "enabled = true");
    if (o.create_slot.value_or(false)) return exclusive("connect = false", "create_slot = true");
    if (o.copy_data.value_or(false)) return exclusive("connect = false", "copy_data = true");
  }
  if (!o.slot || o.slot->name) return {};
  if (o.enabled.value_or(false)) return exclusive("slot_name = NONE", "enabled = true");
  if (connect && !o.enabled) {
    return Error(sqlstate::kSyntaxError, "subscription with slot_name = NONE must also set enabled = false");
  }
  if (o.create_slot.value_or(false)) return exclusive("slot_name = NONE", "create_slot = true");
  if (connect && !o.create_slot) {
    return Error(sqlstate::kSyntaxError, "subscription with slot_name = NONE must also set create_slot = false");
  }
  return {};
}

}  // namespace indigo::engine::ddl
