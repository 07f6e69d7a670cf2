#include "engine/replication/change_codec.h"

#include <utility>

#include "engine/replication/changed_table.h"
#include "log/file_error.h"
#include "types/extension/extension.h"

namespace indigo::engine::replication {

namespace {

// Descriptors that are kept for the next transaction; all go when there are more.
constexpr size_t kMostDescriptors = 4096;

class ChangeWriter {
 public:
  explicit ChangeWriter(std::string& out) : out_(out) {}

  template <class T>
  void number(T value) {
    char raw[sizeof(T)];
    store_unaligned(raw, value);
    out_.append(raw, sizeof raw);
  }
  void flag(bool value) { number(static_cast<uint8_t>(value)); }
  void text(Bytes value) {
    number(static_cast<uint64_t>(value.size()));
    out_ += value;
  }
  template <class T>
  void numbers(const std::vector<T>& values) {
    number(static_cast<uint32_t>(values.size()));
    for (const T value : values) number(value);
  }

 private:
  std::string& out_;
};

// What is missing at the end reads as zero and empty, and is seen by complete().
class ChangeReader {
 public:
  explicit ChangeReader(Bytes in) : in_(in) {}

  template <class T>
  T number() {
    if (in_.size() < sizeof(T)) return fail<T>();
    const T value = load_unaligned<T>(in_.data());
    in_.remove_prefix(sizeof(T));
    return value;
  }
  bool flag() { return number<uint8_t>() != 0; }
  Bytes text() {
    const auto size = number<uint64_t>();
    if (in_.size() < size) return fail<Bytes>();
    return std::exchange(in_, in_.substr(size)).substr(0, size);
  }
  std::string string() { return std::string(text()); }
  // Of what takes at least a byte each.
  uint32_t count() {
    const auto n = number<uint32_t>();
    return n <= in_.size() ? n : fail<uint32_t>();
  }
  template <class T>
  std::vector<T> numbers() {
    std::vector<T> out(count());
    for (T& value : out) value = number<T>();
    return out;
  }
  bool at_end() const { return in_.empty(); }
  bool complete() const { return !failed_ && in_.empty(); }
  bool failed() const { return failed_; }

 private:
  template <class T>
  T fail() {
    failed_ = true;
    in_ = {};
    return T{};
  }

  Bytes in_;
  bool failed_ = false;
};

Error malformed() {
  return Error(sqlstate::kDataCorrupted, "changes that a replication slot holds back are malformed");
}

void write_head(const CommittedChanges& changes, ChangeWriter& out) {
  out.number(changes.database);
  out.number(changes.transaction);
  out.number(changes.committed_at);
  out.number(static_cast<uint8_t>(changes.kind));
  out.number(changes.begin);
  out.number(changes.commit);
  out.number(changes.end);
  out.number(static_cast<uint64_t>(changes.bytes));
  if (changes.kind < CommittedChanges::Kind::kPrepare) return;
  out.text(changes.prepared.name);
  out.number(changes.prepared.prepared_at);
  for (const uint64_t place : {changes.prepared.begin, changes.prepared.prepare, changes.prepared.end})
    out.number(place);
}

void read_head(ChangeReader& in, CommittedChanges& out) {
  out.database = in.number<Oid>();
  out.transaction = in.number<uint64_t>();
  out.committed_at = in.number<int64_t>();
  out.kind = static_cast<CommittedChanges::Kind>(in.number<uint8_t>());
  out.begin = in.number<uint64_t>();
  out.commit = in.number<uint64_t>();
  out.end = in.number<uint64_t>();
  out.bytes = in.number<uint64_t>();
  if (out.kind < CommittedChanges::Kind::kPrepare) return;
  out.prepared.name = in.string();
  out.prepared.prepared_at = in.number<int64_t>();
  out.prepared.begin = in.number<uint64_t>();
  out.prepared.prepare = in.number<uint64_t>();
  out.prepared.end = in.number<uint64_t>();
}

void write_columns(const types::RowShape& shape, ChangeWriter& out) {
  out.number(static_cast<uint32_t>(shape.columns.size()));
  for (const types::ColumnInfo& column : shape.columns) {
    out.text(column.name);
    out.number(column.number);
    out.number(column.type.oid);
    out.number(column.type.typmod);
    out.number(column.type.collation);
    out.flag(column.not_null);
    out.flag(column.dropped);
    out.number(column.identity);
    out.number(column.generated);
    out.number(static_cast<uint8_t>(shape.layout.phys(static_cast<size_t>(column.number) - 1)));
  }
}

void read_columns(ChangeReader& in, types::RowShape& out) {
  std::vector<Phys> physical(in.count());
  for (Phys& phys : physical) {
    types::ColumnInfo& column = out.columns.emplace_back();
    column.name = in.string();
    column.number = in.number<int16_t>();
    column.type.oid = in.number<Oid>();
    column.type.typmod = in.number<int32_t>();
    column.type.collation = in.number<Oid>();
    column.not_null = in.flag();
    column.dropped = in.flag();
    column.identity = in.number<char>();
    column.generated = in.number<char>();
    phys = static_cast<Phys>(in.number<uint8_t>());
  }
  out.layout = types::RowLayout(std::move(physical));
}

void write_table(const catalog::RelationInfo& relation, const ReplicaIdentity* identity, ChangeWriter& out) {
  out.number(relation.oid);
  out.text(relation.name);
  out.number(relation.schema);
  out.text(relation.schema_name);
  out.number(relation.row_type);
  out.number(static_cast<char>(relation.kind));
  out.number(relation.persistence);
  out.number(relation.owner);
  out.flag(relation.is_partition);
  out.numbers(relation.parents);
  out.numbers(relation.key_columns);
  write_columns(relation, out);
  out.flag(identity != nullptr);
  if (identity == nullptr) return;
  out.number(identity->kind);
  out.numbers(identity->columns);
}

// False: there is no identity.
bool read_table(ChangeReader& in, std::shared_ptr<const catalog::RelationInfo>& out, ReplicaIdentity& identity) {
  auto relation = std::make_shared<catalog::RelationInfo>();
  relation->oid = in.number<Oid>();
  relation->name = in.string();
  relation->schema = in.number<Oid>();
  relation->schema_name = in.string();
  relation->row_type = in.number<Oid>();
  relation->kind = static_cast<catalog::RelationKind>(in.number<char>());
  relation->persistence = in.number<char>();
  relation->owner = in.number<Oid>();
  relation->is_partition = in.flag();
  relation->parents = in.numbers<Oid>();
  relation->key_columns = in.numbers<int16_t>();
  read_columns(in, *relation);
  out = std::move(relation);
  if (!in.flag()) return false;
  identity.kind = in.number<char>();
  identity.columns = in.numbers<int16_t>();
  return true;
}

// The extension whose forms these are, and the symbol that they are found by; empty: no extension's.
std::pair<std::string_view, std::string_view> owner_of_forms(const types::TypeDefinition* definition) {
  for (const types::Extension& extension : types::extensions()) {
    for (const types::ExtensionType& type : extension.types) {
      if (definition != nullptr && type.definition == definition) return {extension.name, type.input};
    }
  }
  return {};
}

void write_type(const types::TypeInfo& type, ChangeWriter& out) {
  out.number(type.oid);
  out.text(type.name);
  out.number(type.schema);
  out.number(static_cast<uint8_t>(type.phys));
  out.number(type.length);
  out.number(type.kind);
  out.number(type.category);
  out.number(type.delimiter);
  for (const Oid oid : {type.relation, type.element, type.base, type.like, type.range_subtype, type.range_partner})
    out.number(oid);
  out.number(type.base_typmod);
  out.number(type.collation);
  out.text(type.comparison);
  const auto [extension, input] = owner_of_forms(type.definition);
  out.text(extension);
  out.text(input);
  out.number(static_cast<uint32_t>(type.enum_labels.size()));
  for (size_t i = 0; i < type.enum_labels.size(); i++) {
    out.number(type.enum_label_oids[i]);
    out.text(type.enum_labels[i]);
  }
}

std::shared_ptr<const types::TypeInfo> read_type(ChangeReader& in) {
  auto out = std::make_shared<types::TypeInfo>();
  out->oid = in.number<Oid>();
  out->name = in.string();
  out->schema = in.number<Oid>();
  out->phys = static_cast<Phys>(in.number<uint8_t>());
  out->length = in.number<int16_t>();
  out->kind = in.number<char>();
  out->category = in.number<char>();
  out->delimiter = in.number<char>();
  for (Oid* oid : {&out->relation, &out->element, &out->base, &out->like, &out->range_subtype, &out->range_partner})
    *oid = in.number<Oid>();
  out->base_typmod = in.number<int32_t>();
  out->collation = in.number<Oid>();
  out->comparison = in.string();
  const std::string extension = in.string(), input = in.string();
  if (const types::Extension* found = types::find_extension(extension))
    out->definition = types::find_type_forms(*found, input);
  const uint32_t labels = in.count();
  for (uint32_t i = 0; i < labels; i++) {
    out->enum_label_oids.push_back(in.number<Oid>());
    out->enum_labels.push_back(in.string());
  }
  return out;
}

void write_types(const TypesThen& types, ChangeWriter& out) {
  out.number(static_cast<uint32_t>(types.types.size()));
  for (const auto& [oid, type] : types.types) write_type(*type, out);
  out.number(static_cast<uint32_t>(types.rows.size()));
  for (const auto& [oid, row] : types.rows) {
    out.number(oid);
    out.text(row->name);
    out.number(row->schema);
    out.number(row->row_type);
    write_columns(*row, out);
  }
  out.number(static_cast<uint32_t>(types.schemas.size()));
  for (const auto& [oid, name] : types.schemas) {
    out.number(oid);
    out.text(name);
  }
}

void read_types(ChangeReader& in, TypesThen& out) {
  for (uint32_t left = in.count(); left > 0; left--) {
    const auto type = read_type(in);
    out.types.try_emplace(type->oid, type);
  }
  for (uint32_t left = in.count(); left > 0; left--) {
    auto row = std::make_shared<catalog::RelationInfo>();
    row->oid = in.number<Oid>();
    row->name = in.string();
    row->schema = in.number<Oid>();
    row->row_type = in.number<Oid>();
    read_columns(in, *row);
    out.rows.try_emplace(row->oid, row);
  }
  for (uint32_t left = in.count(); left > 0; left--) {
    const Oid oid = in.number<Oid>();
    out.schemas.try_emplace(oid, in.string());
  }
}

// `identity` null: of kTruncate.
std::string table_text(const catalog::RelationInfo& relation, const ReplicaIdentity* identity) {
  std::string text;
  ChangeWriter out(text);
  write_table(relation, identity, out);
  if (identity == nullptr) return text;
  const ChangedTable& table = table_of(*identity);
  out.number(static_cast<uint32_t>(table.above.size()));
  for (const TableThen& above : table.above) write_table(*above.relation, above.identity.get(), out);
  write_types(table.types, out);
  return text;
}

// The relations of one transaction, each once.
class Relations {
 public:
  uint32_t number_of(const RowChange::Relation& relation, const ReplicaIdentity* identity) {
    const auto [at, added] = numbers_.try_emplace({relation.get(), identity}, static_cast<uint32_t>(texts_.size()));
    if (added) {
      texts_.push_back(table_text(*relation, identity));
      plain_.emplace_back(physical_columns(*relation));
    }
    return at->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }
  // The image in a layout without additions.
  Bytes plain(const catalog::RelationInfo& relation, uint32_t number, Bytes row) {
    if (row.empty()) return row;
    const types::RowLayout& layout = relation.layout;
    values_.clear();
    for (size_t i = 0; i < layout.column_count(); i++) values_.push_back(layout.column(row, i));
    plain_[number].encode(values_, image_);
    return image_;
  }

 private:
  struct Hash {
    size_t operator()(const std::pair<const void*, const void*>& key) const {
      return std::hash<const void*>()(key.first) * 31 + std::hash<const void*>()(key.second);
    }
  };
  static std::vector<Phys> physical_columns(const catalog::RelationInfo& relation) {
    std::vector<Phys> out;
    for (size_t i = 0; i < relation.layout.column_count(); i++) out.push_back(relation.layout.phys(i));
    return out;
  }

  std::unordered_map<std::pair<const void*, const void*>, uint32_t, Hash> numbers_;
  std::vector<std::string> texts_;
  std::vector<types::RowLayout> plain_;
  std::vector<Datum> values_;
  std::string image_;
};

}  // namespace

void encode_changes(const CommittedChanges& changes, std::string& out) {
  Relations relations;
  std::string rows;
  ChangeWriter body(rows);
  for (const RowChange& change : changes.changes) {
    body.number(static_cast<uint8_t>(change.kind));
    switch (change.kind) {
      case RowChange::Kind::kInsert:
      case RowChange::Kind::kUpdate:
      case RowChange::Kind::kDelete: {
        const uint32_t number = relations.number_of(change.relation, change.identity.get());
        body.number(number);
        body.text(relations.plain(*change.relation, number, change.old_row));
        body.text(relations.plain(*change.relation, number, change.new_row));
        break;
      }
      case RowChange::Kind::kTruncate:
        body.number(static_cast<uint8_t>((change.cascades ? 1 : 0) | (change.restarts_sequences ? 2 : 0)));
        body.number(static_cast<uint32_t>(change.truncated.size()));
        for (const auto& relation : change.truncated) body.number(relations.number_of(relation, nullptr));
        break;
      case RowChange::Kind::kMessage:
        body.text(change.old_row);
        body.text(change.new_row);
        break;
    }
  }
  ChangeWriter all(out);
  write_head(changes, all);
  all.number(static_cast<uint32_t>(relations.texts().size()));
  for (const std::string& relation : relations.texts()) all.text(relation);
  all.number(static_cast<uint32_t>(changes.changes.size()));
  out += rows;
}

Result<CommittedChanges> decode_changes_head(Bytes in) {
  ChangeReader reader(in);
  CommittedChanges out;
  read_head(reader, out);
  if (reader.failed()) return malformed();
  return out;
}

Result<ChangeDecoder::Described> ChangeDecoder::describe(Bytes text) {
  std::string key(text);
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = known_.find(key); at != known_.end()) return at->second;
  }
  ChangeReader in(text);
  Described out;
  auto table = std::make_shared<ChangedTable>();
  const bool identified = read_table(in, out.relation, *table);
  if (!in.at_end()) {  // what follows was not kept once
    table->above.resize(in.count());
    for (TableThen& above : table->above) {
      auto identity = std::make_shared<ReplicaIdentity>();
      read_table(in, above.relation, *identity);
      above.identity = std::move(identity);
    }
    read_types(in, table->types);
  }
  if (!in.complete()) return malformed();
  if (identified) out.identity = std::move(table);
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostDescriptors) known_.clear();
  return known_.try_emplace(std::move(key), out).first->second;
}

Result<std::shared_ptr<CommittedChanges>> ChangeDecoder::decode(Bytes bytes) {
  ChangeReader in(bytes);
  auto out = std::make_shared<CommittedChanges>();
  read_head(in, *out);
  std::vector<Described> relations(in.count());
  for (Described& relation : relations) {
    INDIGO_ASSIGN(relation, describe(in.text()));
  }
  const auto relation = [&]() -> const Described* {
    const auto number = in.number<uint32_t>();
    return number < relations.size() ? &relations[number] : nullptr;
  };
  out->changes.resize(in.count());
  for (RowChange& change : out->changes) {
    change.kind = static_cast<RowChange::Kind>(in.number<uint8_t>());
    switch (change.kind) {
      case RowChange::Kind::kInsert:
      case RowChange::Kind::kUpdate:
      case RowChange::Kind::kDelete: {
        const Described* of = relation();
        if (of == nullptr || of->identity == nullptr) return malformed();
        change.relation = of->relation;
        change.identity = of->identity;
        change.old_row = in.text();
        change.new_row = in.text();
        break;
      }
      case RowChange::Kind::kTruncate: {
        const auto flags = in.number<uint8_t>();
        change.cascades = (flags & 1) != 0;
        change.restarts_sequences = (flags & 2) != 0;
        change.truncated.resize(in.count());
        for (auto& truncated : change.truncated) {
          const Described* of = relation();
          if (of == nullptr) return malformed();
          truncated = of->relation;
        }
        break;
      }
      case RowChange::Kind::kMessage:
        change.old_row = in.text();
        change.new_row = in.text();
        break;
      default: return malformed();
    }
  }
  if (!in.complete()) return malformed();
  return out;
}

}  // namespace indigo::engine::replication
