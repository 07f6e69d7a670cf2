#include "engine/foreign/file_table.h"

#include <algorithm>
#include <optional>

#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "engine/copy/copy_encoding.h"
#include "engine/copy/copy_options.h"
#include "engine/copy/copy_reader.h"
#include "engine/copy/server_copy.h"
#include "engine/foreign/foreign_options.h"
#include "engine/system/catalog_rows.h"
#include "sql/parse/parse_tree.h"
#include "types/io/domain_check.h"
#include "types/io/record.h"
#include "types/io/type_definition.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

constexpr Oid kForeignTable{3118}, kAttribute{1249};  // system tables
constexpr Oid kExecuteServerProgramRole{4571};
constexpr SqlState kUnknownOption{"HV00D"};

constexpr std::string_view kFileOptions[] = {"filename", "program", "format", "header",  "delimiter",
                                             "quote",    "escape",  "null",   "encoding"};
constexpr std::string_view kFileColumnOptions[] = {"force_not_null", "force_null"};

using Option = ForeignOption;

// COPY's reader of options takes the parser's trees.
Result<CopyOptions> copy_options(const std::vector<Option>& options) {
  struct Element {
    PgQuery__String text = PG_QUERY__STRING__INIT;
    PgQuery__Node value = PG_QUERY__NODE__INIT, node = PG_QUERY__NODE__INIT;
    PgQuery__DefElem element = PG_QUERY__DEF_ELEM__INIT;
  };
  std::vector<Element> elements(options.size());
  std::vector<PgQuery__Node*> nodes;
  for (size_t i = 0; i < options.size(); i++) {
    Element& e = elements[i];
    e.text.sval = const_cast<char*>(options[i].value.c_str());
    e.value.node_case = PG_QUERY__NODE__NODE_STRING;
    e.value.string = &e.text;
    e.element.defname = const_cast<char*>(options[i].name.c_str());
    e.element.arg = &e.value;
    e.element.location = -1;
    e.node.node_case = PG_QUERY__NODE__NODE_DEF_ELEM;
    e.node.def_elem = &e.element;
    nodes.push_back(&e.node);
  }
  return read_copy_options({}, nodes, true);
}

Result<bool> boolean_value(const Option& option) {
  std::string text = option.value;
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (text == "true" || text == "on" || text == "1") return true;
  if (text == "false" || text == "off" || text == "0") return false;
  return Error(sqlstate::kSyntaxError, option.name + " requires a Boolean value");
}

bool is_source(const Option& o) { return o.name == "filename" || o.name == "program"; }

std::string shortened(std::string_view s) {
  constexpr size_t kShownBytes = 100;
  return s.size() <= kShownBytes ? std::string(s) : std::string(s.substr(0, kShownBytes)) + "...";
}

class FileRows final : public types::SetProducer {
 public:
  FileRows(SessionParts& session, std::shared_ptr<const catalog::RelationInfo> relation)
      : session_(session), relation_(std::move(relation)) {}

  Status open() {
    std::vector<Option> of_copy;
    for (Option& o : split_options(relation_->foreign->options)) {
      if (!is_source(o)) {
        of_copy.push_back(std::move(o));
        continue;
      }
      source_name_ = o.value;
      is_program_ = o.name == "program";
    }
    INDIGO_ASSIGN(options_, copy_options(of_copy));
    std::vector<bool> not_null, null;
    for (const auto& column : relation_->columns) {
      types_.push_back(column.dropped ? types::TypeRef{} : column.type);
      const auto type = session_.session_catalog().type(column.type.oid);
      domains_.push_back(type != nullptr && type->kind == 'd');
      phys_.push_back(relation_->layout.phys(static_cast<size_t>(column.number - 1)));
      if (column.dropped || column.generated != 0) continue;
      INDIGO_TRY(read_marks(column, not_null, null));
      columns_.push_back(static_cast<size_t>(column.number - 1));
    }
    PgQuery__CopyStmt statement = PG_QUERY__COPY_STMT__INIT;
    statement.is_from = true;
    statement.is_program = is_program_;
    statement.filename = source_name_.data();
    INDIGO_ASSIGN(source_, open_server_source(statement));
    std::string encoding;
    session_.context().setting("client_encoding", encoding);
    INDIGO_ASSIGN(converter_, open_copy_converter(options_, encoding, true));
    if (converter_ != nullptr) converting_.emplace(*source_, *converter_);
    reader_ = CopyReader::create(converting_ ? static_cast<CopySource&>(*converting_) : *source_, options_,
                                 std::move(not_null), std::move(null));
    return options_.header ? skip_header() : Status();
  }

  uint32_t next(types::FuncContext& context, std::span<Vector> columns, uint32_t capacity) override {
    if (failed_ != nullptr) {
      context.fail(std::move(*failed_));
      return 0;
    }
    uint32_t n = 0;
    for (; n < capacity && !ended_; n++) {
      Status read = read_row(context);
      if (!read.ok()) {  // after the rows before
        ended_ = true;
        failed_ = read.take_error();
        if (n > 0) return n;
        context.fail(std::move(*failed_));
        return 0;
      }
      if (ended_) break;
      const std::string image = types::make_record(relation_->row_type, types_, values_);
      columns[0].set_datum(n, Datum::of(context.arena().copy(Str(image))));
    }
    return n;
  }

 private:
  Status read_marks(const types::ColumnInfo& column, std::vector<bool>& not_null, std::vector<bool>& null) {
    bool mark_not_null = false, mark_null = false;
    for (const Option& o : column_options(session_, relation_->oid, column.number)) {
      INDIGO_ASSIGN(const bool value, boolean_value(o));
      (o.name == "force_null" ? mark_null : mark_not_null) = value;
    }
    not_null.push_back(mark_not_null);
    null.push_back(mark_null);
    if (options_.format == CopyFormat::kCsv) return {};
    if (mark_not_null) return Error(sqlstate::kFeatureNotSupported, "COPY force not null available only in CSV mode");
    if (mark_null) return Error(sqlstate::kFeatureNotSupported, "COPY force null available only in CSV mode");
    return {};
  }

  // With where in the file it was.
  Status in_file(Error error, std::optional<size_t> column, const std::optional<std::string_view>& value) const {
    std::string where = "COPY " + relation_->name + ", line " + std::to_string(reader_->line_number());
    if (column) {
      where += ", column " + relation_->columns[*column].name;
      where += value ? ": \"" + shortened(*value) + "\"" : ": null input";
    } else if (!reader_->line().empty() && find_invalid_text(reader_->line()) == kAllValid) {
      where += ": \"" + shortened(reader_->line()) + "\"";
    }
    error.where = where;
    return error;
  }

  Status skip_header() {
    auto any = reader_->next(fields_);
    if (!any.ok()) return in_file(std::move(*any.take_error()), std::nullopt, std::nullopt);
    if (!*any || !options_.header_match) return {};
    const auto wrong = [&](std::string message) {
      return in_file(Error(sqlstate::kBadCopyFileFormat, std::move(message)), std::nullopt, std::nullopt);
    };
    if (fields_.size() != columns_.size()) {
      return wrong("wrong number of fields in header line: got " + std::to_string(fields_.size()) + ", expected " +
                   std::to_string(columns_.size()));
    }
    for (size_t i = 0; i < fields_.size(); i++) {
      const std::string& name = relation_->columns[columns_[i]].name;
      if (fields_[i] == name) continue;
      const std::string got =
          fields_[i] ? "\"" + std::string(*fields_[i]) + "\"" : "null value (\"" + options_.null_text + "\")";
      return wrong("column name mismatch in header line field " + std::to_string(i + 1) + ": got " + got +
                   ", expected \"" + name + "\"");
    }
    return {};
  }

  Status read_row(types::FuncContext& context) {
    if (++rows_ % kRowsBetweenLooks == 0) {
      Waiter& waiter = Waiter::current();
      waiter.yield_if_due();
      if (const InterruptReason reason = waiter.interrupted(); reason != InterruptReason::kNone)
        return interrupt_error(reason);
    }
    auto any = reader_->next(fields_);
    if (!any.ok()) return in_file(std::move(*any.take_error()), std::nullopt, std::nullopt);
    values_.clear();
    for (const Phys phys : phys_) values_.push_back(Datum::make_null(phys));
    if (!*any) {
      ended_ = true;
      return source_->end();
    }
    const auto misshapen = [&](std::string message) {
      return in_file(Error(sqlstate::kBadCopyFileFormat, std::move(message)), std::nullopt, std::nullopt);
    };
    if (fields_.size() > columns_.size() && !(columns_.empty() && fields_.size() == 1 && fields_[0] == ""))
      return misshapen("extra data after last expected column");
    for (size_t i = 0; i < columns_.size(); i++) {
      const size_t c = columns_[i];
      if (i == fields_.size()) return misshapen("missing data for column \"" + relation_->columns[c].name + "\"");
      if (fields_[i]) {
        if (options_.format == CopyFormat::kBinary) {
          values_[c] = types::type_receive(context, types_[c], *fields_[i]);
        } else if (types::check_encoding(context, *fields_[i])) {
          values_[c] = types::type_input(context, types_[c], *fields_[i]);
        }
      }
      if (!context.failed() && domains_[c]) types::check_domain(context, types_[c], values_[c]);
      if (context.failed()) return in_file(std::move(*context.take_error()), c, fields_[i]);
    }
    return {};
  }

  static constexpr uint64_t kRowsBetweenLooks = 256;

  SessionParts& session_;
  const std::shared_ptr<const catalog::RelationInfo> relation_;
  CopyOptions options_;
  std::string source_name_;
  bool is_program_ = false;
  std::vector<types::TypeRef> types_;  // of all columns
  std::vector<Phys> phys_;
  std::vector<bool> domains_;
  std::vector<size_t> columns_;  // those that the file has
  std::unique_ptr<ServerCopySource> source_;
  CopyConverter converter_;
  std::optional<EncodedCopySource> converting_;
  std::unique_ptr<CopyReader> reader_;
  std::vector<std::optional<std::string_view>> fields_;
  std::vector<Datum> values_;
  uint64_t rows_ = 0;
  bool ended_ = false;
  std::unique_ptr<Error> failed_;
};

}  // namespace

Status check_file_options(SessionParts& session, const std::vector<std::string>& options, Oid class_id) {
  std::span<const std::string_view> known;
  if (class_id == kForeignTable) known = kFileOptions;
  if (class_id == kAttribute) known = kFileColumnOptions;
  std::vector<Option> of_copy;
  bool has_source = false;
  catalog::SessionCatalog& catalog = session.session_catalog();
  for (Option& o : split_options(options)) {
    if (std::find(known.begin(), known.end(), o.name) == known.end()) {
      std::string valid;
      for (const std::string_view one : known) valid += (valid.empty() ? "" : ", ") + std::string(one);
      return Error(kUnknownOption, "invalid option \"" + o.name + "\"")
          .with_hint(known.empty() ? "There are no valid options in this context."
                                   : "Valid options in this context are: " + valid);
    }
    if (is_source(o)) {
      if (has_source) return Error(sqlstate::kSyntaxError, "conflicting or redundant options");
      has_source = true;
      const bool program = o.name == "program";
      const Oid role = program ? kExecuteServerProgramRole : oid::kReadServerFilesRole;
      if (!catalog.has_privileges_of(catalog.user(), role)) {
        return Error(sqlstate::kInsufficientPrivilege,
                     std::string("only superuser or a role with privileges of the ") +
                         (program ? "pg_execute_server_program" : "pg_read_server_files") + " role may specify the " +
                         o.name + " option of a file_fdw foreign table");
      }
    } else if (class_id == kAttribute) {
      INDIGO_TRY(boolean_value(o));
    } else {
      of_copy.push_back(std::move(o));
    }
  }
  INDIGO_TRY(copy_options(of_copy));
  if (class_id != kForeignTable || has_source) return {};
  return Error(SqlState("HV002"), "either filename or program is required for file_fdw foreign tables");
}

Result<std::unique_ptr<types::SetProducer>> open_file_table(
    SessionParts& session, const std::shared_ptr<const catalog::RelationInfo>& relation) {
  auto rows = std::make_unique<FileRows>(session, relation);
  INDIGO_TRY(rows->open());
  return std::unique_ptr<types::SetProducer>(std::move(rows));
}

namespace {

Result<OwnedDatum> validate_file_options(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(check_file_options(session, read_texts(arguments[0].str), arguments[1].oid()));
  return text_value("");
}
constexpr SystemValue kFileValues[] = {{"file_fdw_validator", validate_file_options}};

}  // namespace

std::span<const SystemValue> foreign_values() { return kFileValues; }

}  // namespace indigo::engine
