// The order of text under one ICU collation (pg_collation.collprovider i), as PostgreSQL 15 defines it: ICU's comparison, and
// for deterministic collations the bytes where ICU sees no difference. Of the C library's collations (collprovider c) ICU's
// order stands for the library's: blanks, punctuation and symbols count only where strings are equal without them, then by their
// numbers (README.md). No Collator (a null pointer) stands for the C order,
// that of the bytes, wherever one is asked for. Beside ICU's there are those of extensions' types, the orders of operator
// classes of users' own, and their hashes, which are of values of any type, and that of what is within arrays and records.
// Thread safety: immutable; all functions are safe from any thread.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "types/oids.h"
#include "types/value/defined_key.h"
#include "types/value/member_orders.h"
#include "types/value/physical.h"

struct UCollator;

namespace indigo::types {

class Letters;

class Collator {
 public:
  // `locale` is a language tag (de-u-co-phonebk) or an ICU locale name. 22023 when ICU cannot open it.
  static Result<std::unique_ptr<const Collator>> open(const std::string& locale, bool deterministic);
  // `locale` is the ICU locale of one of the C library's (types/value/locale.h); deterministic.
  static Result<std::unique_ptr<const Collator>> open_libc(const std::string& locale);
  // The order of text whose ASCII letters are all small (citext's, in a database whose ctype is C); not deterministic.
  static const Collator& case_insensitive();
  // The same in a database with other letters: texts in lower case under `order` (null: C). Both must outlive it.
  Collator(const Letters& letters, const Collator* order)
      : collator_(nullptr), deterministic_(false), letters_(&letters), order_(order) {}
  // The order of an extension's values by the bytes that `key` makes of their images. Values are equal when these are; without
  // `ordered` the bytes tell no more than that.
  using KeyOf = std::string (*)(Str image);
  Collator(KeyOf key, bool ordered) : collator_(nullptr), key_(key), deterministic_(false), ordered_(ordered) {}
  // What a function defines: only values() says what is in it, of texts as of all others.
  explicit Collator(std::shared_ptr<const DefinedKeys> values, DefinedKeys::Labels labels = DefinedKeys::Labels::kKeep)
      : collator_(nullptr),
        deterministic_(false),
        ordered_(values->ordered()),
        values_(std::move(values)),
        labels_(labels) {}
  // Of arrays and records of any type, whose texts are in C order: only members() says more.
  explicit Collator(const MemberOrders& members) : collator_(nullptr), deterministic_(false), members_(&members) {}
  ~Collator();
  Collator(const Collator&) = delete;
  Collator& operator=(const Collator&) = delete;

  // False: strings of different bytes may be equal.
  bool deterministic() const { return deterministic_; }
  // False: compare() and append_key() tell which values are equal, not which is the lesser one.
  bool ordered() const { return ordered_; }
  // Null: an order of texts.
  const DefinedKeys* values() const { return values_.get(); }
  // Null: an order of the values themselves.
  const MemberOrders* members() const { return members_; }
  void append_value_key(const Datum& value, std::string& out) const { values_->append_key(value, labels_, out); }
  // The same order with labels of its own; the same labels, read only. Of orders with values() only.
  std::shared_ptr<const Collator> renewed() const { return std::make_shared<Collator>(values_->renewed()); }
  std::shared_ptr<const Collator> for_looking() const {
    return std::make_shared<Collator>(values_, DefinedKeys::Labels::kLook);
  }
  const std::string& locale() const { return locale_; }
  std::string version() const;  // pg_collation.collversion
  // The library whose sort keys append_key makes, and its version: other versions' may differ.
  static std::string library();

  // Negative, zero, positive.
  int compare(Str a, Str b) const;
  bool equal(Str a, Str b) const { return deterministic_ ? a == b : a == b || compare(a, b) == 0; }

  // Appends bytes that compare by memcmp as compare() does, of which none is a prefix of another's: ICU's sort key with its
  // final zero, then, if the collation is deterministic, the text (types/value/key_codec.h's escaped form).
  void append_key(Str text, std::string& out) const;
  // Equal strings have equal bytes: what to hash.
  void append_equality_key(Str text, std::string& out) const;

 private:
  Collator(UCollator* collator, std::string locale, bool deterministic, bool passes_over)
      : collator_(collator), locale_(std::move(locale)), deterministic_(deterministic), passes_over_(passes_over) {}

  UCollator* const collator_;  // null: of keys
  const KeyOf key_ = nullptr;
  const std::string locale_;
  const bool deterministic_;
  const bool passes_over_ = false;  // punctuation, up to the fourth level
  const bool ordered_ = true;
  const std::shared_ptr<const DefinedKeys> values_;
  const DefinedKeys::Labels labels_ = DefinedKeys::Labels::kKeep;
  const MemberOrders* const members_ = nullptr;
  const Letters* const letters_ = nullptr;
  const Collator* const order_ = nullptr;
};

// Collations that order by bytes and know ASCII's letters only, in every database: C, POSIX and ucs_basic, and none at all.
// Others may do so, too (CatalogContext::orders_by_bytes), the database's own above all.
constexpr bool is_c_collation(Oid collation) {
  constexpr Oid kUcsBasic = 12340;
  return collation == kInvalidOid || collation == oid::kCCollation || collation == oid::kPosixCollation ||
         collation == kUcsBasic;
}

// Orders two strings: by the collator, or by their bytes.
inline int collate(const Collator* collator, Str a, Str b) {
  return collator == nullptr ? a.compare(b) : collator->compare(a, b);
}

}  // namespace indigo::types
