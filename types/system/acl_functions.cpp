// Functions and operators of aclitem.
#include <array>

#include "base/sqlstate.h"
#include "types/bytes/jenkins_hash.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/oids.h"
#include "types/system/acl_item.h"
#include "types/text/ascii.h"
#include "types/value/acl.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

class AclItemParser {
 public:
  AclItemParser(FuncContext& context, Str text) : context_(context), text_(text) {}

  Datum parse() {
    std::string grantee = name();
    if (peek() != '=') {
      if (grantee != "user" && grantee != "group")
        return fail("unrecognized key word: \"" + grantee + "\"", "ACL key word must be \"group\" or \"user\".");
      grantee = name();
      if (grantee.empty()) return fail("missing name", "A name must follow the \"group\" or \"user\" key word.");
    }
    if (peek() != '=') return fail("missing \"=\" sign");
    at_++;
    AclItem item;
    item.grantor = oid::kBootstrapSuperuser;
    if (!privileges(item)) return Datum::make_null(Phys::kStr);
    if (!grantee.empty() && !role(grantee, item.grantee)) return Datum::make_null(Phys::kStr);
    if (peek() == '/') {
      at_++;
      const std::string grantor = name();
      if (grantor.empty()) return fail("a name must follow the \"/\" sign");
      if (!role(grantor, item.grantor)) return Datum::make_null(Phys::kStr);
    }
    blanks();
    if (at_ < text_.size()) return fail("extra garbage at the end of the ACL specification");
    return Datum::of(context_.arena().copy(acl_item_value(item)));
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (is_blank(peek())) at_++;
  }
  Datum fail(std::string message, std::string hint = {}) {
    Error error(sqlstate::kInvalidTextRepresentation, std::move(message));
    error.hint = std::move(hint);
    context_.fail(std::move(error));
    return Datum::make_null(Phys::kStr);
  }
  std::string name() {
    std::string out;
    bool quoted = false;
    for (blanks(); at_ < text_.size(); at_++) {
      const char c = text_[at_];
      if (c == '"' && at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        out.push_back(text_[at_++]);
      } else if (c == '"') {
        quoted = !quoted;
      } else if (quoted || is_alnum(c) || c == '_') {
        out.push_back(c);
      } else {
        break;
      }
    }
    blanks();
    return out;
  }
  bool privileges(AclItem& item) {
    uint32_t last = 0;
    for (; at_ < text_.size() && (text_[at_] == '*' || is_alpha(text_[at_])); at_++) {
      if (text_[at_] == '*') {
        item.options |= last;
        continue;
      }
      const size_t bit = kPrivilegeLetters.find(text_[at_]);
      if (bit == std::string_view::npos) {
        fail("invalid mode character: must be one of \"" + std::string(kPrivilegeLetters) + "\"");
        return false;
      }
      last = 1u << bit;
      item.privileges |= last;
    }
    return true;
  }
  bool role(const std::string& name, Oid& oid) {
    oid = context_.session().catalog().role_named(name);
    if (oid != kInvalidOid) return true;
    context_.fail(sqlstate::kUndefinedObject, "role \"" + name + "\" does not exist");
    return false;
  }

  FuncContext& context_;
  Str text_;
  size_t at_ = 0;
};

bool contains(FuncContext& context, Str array, Str item) {
  if (!check_acl_array(context, array)) return false;
  const AclItem wanted = read_acl_item(item);
  const auto covers = [](uint32_t have, uint32_t want) { return (have & want) == want; };
  for (const AclItem& have : read_acl(array))
    if (have.grantee == wanted.grantee && have.grantor == wanted.grantor &&
        covers(have.privileges, wanted.privileges) && covers(have.options, wanted.options))
      return true;
  return false;
}
bool equal(Str a, Str b) { return a == b; }
uint32_t sum_of(Str v) {
  const AclItem item = read_acl_item(v);
  return (item.privileges | item.options << 16) + item.grantee + item.grantor;
}
int32_t hash(Str v) { return static_cast<int32_t>(sum_of(v)); }
int64_t hash_seeded(Str v, int64_t seed) {
  return seed == 0 ? int64_t{sum_of(v)} : long_form(hash_word(sum_of(v), static_cast<uint64_t>(seed)));
}
constexpr char kInsert[] = "aclinsert is no longer supported", kRemove[] = "aclremove is no longer supported";
template <const auto& kMessage>
Str no_longer(FuncContext& context, Str, Str) {
  context.fail(sqlstate::kFeatureNotSupported, kMessage);
  return {};
}

constexpr std::array<Str, 15> kPrivilegeWords = {"INSERT",     "SELECT",  "UPDATE",  "DELETE",       "TRUNCATE",
                                                 "REFERENCES", "TRIGGER", "EXECUTE", "USAGE",        "CREATE",
                                                 "TEMPORARY",  "CONNECT", "SET",     "ALTER SYSTEM", "TEMP"};
std::string make_item(FuncContext& context, int32_t grantee, int32_t grantor, Str privilege, bool grantable) {
  for (size_t bit = 0; bit < kPrivilegeWords.size(); bit++) {
    if (!equals_ignoring_case(privilege, kPrivilegeWords[bit])) continue;
    AclItem item;
    item.grantee = static_cast<Oid>(grantee);
    item.grantor = static_cast<Oid>(grantor);
    item.privileges = 1u << (kPrivilegeWords[bit] == "TEMP" ? 10 : bit);
    item.options = grantable ? item.privileges : 0;
    return acl_item_value(item);
  }
  context.fail(sqlstate::kInvalidParameterValue, "unrecognized privilege type: \"" + std::string(privilege) + "\"");
  return {};
}

const ScalarEntry kAclEntries[] = {
    {"aclcontains", kernel<contains>},
    {"aclitem_eq", kernel<equal>},
    {"hash_aclitem", kernel<hash>},
    {"hash_aclitem_extended", kernel<hash_seeded>},
    {"aclinsert", kernel<no_longer<kInsert>>},
    {"aclremove", kernel<no_longer<kRemove>>},
    {"makeaclitem", kernel<make_item>},
};

}  // namespace

Datum acl_item_of_text(FuncContext& context, Str text) { return AclItemParser(context, text).parse(); }

bool check_acl_array(FuncContext& context, Str array) {
  const ArrayView a(array);
  if (a.dimensions() > 1) {  // all privileges revoked leave none
    context.fail(sqlstate::kInvalidParameterValue, "ACL arrays must be one-dimensional");
  } else if (a.has_nulls()) {
    context.fail(sqlstate::kNullValueNotAllowed, "ACL arrays must not contain null values");
  }
  return !context.failed();
}

std::span<const ScalarEntry> acl_functions() { return kAclEntries; }

}  // namespace indigo::types
