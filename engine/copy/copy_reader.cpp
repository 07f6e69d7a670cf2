#include "engine/copy/copy_reader.h"

#include <cstring>

#include "base/bytes.h"
#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "types/text/strings.h"

namespace indigo::engine {

namespace {

Error bad_format(std::string message) { return Error(sqlstate::kBadCopyFileFormat, std::move(message)); }

// Lines of the text and CSV formats: ended by \n, \r\n or \r.
class LineReader : public CopyReader {
 public:
  using CopyReader::CopyReader;

 protected:
  // The next line without its end; nullopt at the end of the input or at "\.".
  Result<std::optional<std::string_view>> next_line(bool csv) {
    size_t at = 0;  // scanned so far, relative to pos_
    bool quoted = false;
    for (;;) {
      while (pos_ + at < buffer_.size()) {
        char c = buffer_[pos_ + at];
        if (csv) {
          // An escape character that differs from the quote hides a quote inside quotes.
          if (quoted && c == options_.escape && options_.escape != options_.quote) {
            if (pos_ + at + 1 >= buffer_.size() && !ended_) break;
            at += 2;
            continue;
          }
          if (c == options_.quote) quoted = !quoted;
        } else if (c == '\\') {
          if (pos_ + at + 1 >= buffer_.size() && !ended_) break;
          at += 2;
          continue;
        }
        if ((c == '\n' || c == '\r') && !quoted) {
          if (c == '\r' && pos_ + at + 1 >= buffer_.size() && !ended_) break;
          std::string_view line(buffer_.data() + pos_, at);
          size_t skip = c == '\r' && pos_ + at + 1 < buffer_.size() && buffer_[pos_ + at + 1] == '\n' ? 2 : 1;
          pos_ += at + skip;
          return finish(line);
        }
        at++;
      }
      INDIGO_ASSIGN(bool more, fill());
      if (more) continue;
      if (pos_ >= buffer_.size()) return std::optional<std::string_view>();
      if (quoted) {
        line_number_++;
        line_ = std::string_view(buffer_).substr(pos_);
        return bad_format("unterminated CSV quoted field");
      }
      std::string_view line(buffer_.data() + pos_, buffer_.size() - pos_);
      pos_ = buffer_.size();
      return finish(line);
    }
  }

 private:
  Result<std::optional<std::string_view>> finish(std::string_view line) {
    line_number_++;
    line_ = line;
    if (line != "\\.") return std::optional<std::string_view>(line);
    for (;;) {  // what follows the end marker is read and ignored
      pos_ = buffer_.size();
      INDIGO_ASSIGN(bool more, fill());
      if (!more) return std::optional<std::string_view>();
    }
  }
};

class TextReader final : public LineReader {
 public:
  using LineReader::LineReader;

  Result<bool> next(std::vector<std::optional<std::string_view>>& fields) override {
    INDIGO_ASSIGN(auto line, next_line(false));
    fields.clear();
    if (!line) return false;
    decoded_.clear();
    decoded_.reserve(line->size());  // views stay valid: decoding never grows a field
    std::string_view rest = *line;
    for (;;) {
      size_t end = 0;
      bool escaped = false;
      while (end < rest.size() && rest[end] != options_.delimiter) {
        if (rest[end] == '\\') {
          escaped = true;
          end++;
        }
        end++;
      }
      end = std::min(end, rest.size());
      std::string_view field = rest.substr(0, end);
      if (field == options_.null_text) {
        fields.emplace_back();
      } else if (escaped) {
        fields.emplace_back(decode(field));
      } else {
        fields.emplace_back(field);
      }
      if (end >= rest.size()) return true;
      rest = rest.substr(end + 1);
    }
  }

 private:
  std::string_view decode(std::string_view field) {
    size_t begin = decoded_.size();
    for (size_t i = 0; i < field.size(); i++) {
      if (field[i] != '\\' || i + 1 == field.size()) {
        decoded_.push_back(field[i]);
        continue;
      }
      char c = field[++i];
      switch (c) {
        case 'b': decoded_.push_back('\b'); break;
        case 'f': decoded_.push_back('\f'); break;
        case 'n': decoded_.push_back('\n'); break;
        case 'r': decoded_.push_back('\r'); break;
        case 't': decoded_.push_back('\t'); break;
        case 'v': decoded_.push_back('\v'); break;
        case 'x': decoded_.push_back(hex(field, i)); break;
        default: decoded_.push_back(c >= '0' && c <= '7' ? octal(field, i) : c);
      }
    }
    return std::string_view(decoded_).substr(begin);
  }
  static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  }
  static char hex(std::string_view field, size_t& i) {
    if (i + 1 >= field.size() || digit(field[i + 1]) < 0) return 'x';
    int value = digit(field[++i]);
    if (i + 1 < field.size() && digit(field[i + 1]) >= 0) value = value * 16 + digit(field[++i]);
    return static_cast<char>(value);
  }
  static char octal(std::string_view field, size_t& i) {
    int value = field[i] - '0';
    for (int n = 0; n < 2 && i + 1 < field.size() && field[i + 1] >= '0' && field[i + 1] <= '7'; n++) {
      value = value * 8 + (field[++i] - '0');
    }
    return static_cast<char>(value);
  }

  std::string decoded_;
};

class CsvReader final : public LineReader {
 public:
  CsvReader(CopySource& source, const CopyOptions& options, std::vector<bool> force_not_null,
            std::vector<bool> force_null)
      : LineReader(source, options), force_not_null_(std::move(force_not_null)), force_null_(std::move(force_null)) {}

  Result<bool> next(std::vector<std::optional<std::string_view>>& fields) override {
    INDIGO_ASSIGN(auto line, next_line(true));
    fields.clear();
    if (!line) return false;
    decoded_.clear();
    decoded_.reserve(line->size());
    size_t i = 0;
    for (;;) {
      size_t begin = decoded_.size();
      bool any_quote = false, quoted = false;
      for (; i < line->size(); i++) {
        char c = (*line)[i];
        if (quoted) {
          if (c == options_.escape && i + 1 < line->size() &&
              ((*line)[i + 1] == options_.quote || (*line)[i + 1] == options_.escape)) {
            decoded_.push_back((*line)[++i]);
          } else if (c == options_.quote) {
            quoted = false;
          } else {
            decoded_.push_back(c);
          }
        } else if (c == options_.quote) {
          quoted = any_quote = true;
        } else if (c == options_.delimiter) {
          break;
        } else {
          decoded_.push_back(c);
        }
      }
      if (quoted) return bad_format("unterminated CSV quoted field");
      std::string_view field = std::string_view(decoded_).substr(begin);
      size_t n = fields.size();
      bool is_null = field == options_.null_text && (any_quote ? n < force_null_.size() && force_null_[n]
                                                               : n >= force_not_null_.size() || !force_not_null_[n]);
      if (is_null) {
        fields.emplace_back();
      } else {
        fields.emplace_back(field);
      }
      if (i >= line->size()) return true;
      i++;
    }
  }

 private:
  std::vector<bool> force_not_null_, force_null_;
  std::string decoded_;
};

class BinaryReader final : public CopyReader {
 public:
  using CopyReader::CopyReader;

  Result<bool> next(std::vector<std::optional<std::string_view>>& fields) override {
    if (!header_read_) INDIGO_TRY(read_header());
    fields.clear();
    lengths_.clear();
    line_number_++;
    if (finished_) return false;
    // The whole row is brought into the buffer before views are taken.
    size_t at = 0;
    // Input that ends where a row would begin is complete without the trailer (pgx sends none).
    while (buffer_.size() - pos_ < 2) {
      INDIGO_ASSIGN(bool more, fill());
      if (!more) return false;
    }
    auto count = static_cast<int16_t>(big_endian(load_unaligned<uint16_t>(buffer_.data() + pos_)));
    at = 2;
    if (count == -1) {
      pos_ += at;
      finished_ = true;
      if (pos_ < buffer_.size()) return bad_format("received copy data after EOF marker");
      INDIGO_ASSIGN(bool more, fill());
      if (more) return bad_format("received copy data after EOF marker");
      return false;
    }
    if (count < 0) return bad_format("row field count is " + std::to_string(count) + ", expected more");
    for (int i = 0; i < count; i++) {
      INDIGO_TRY(need(at + 4));
      auto length = static_cast<int32_t>(big_endian(load_unaligned<uint32_t>(buffer_.data() + pos_ + at)));
      if (length < -1) return bad_format("invalid field size");
      at += 4;
      if (length > 0) INDIGO_TRY(need(at + static_cast<size_t>(length)));
      lengths_.push_back(length);
      at += length > 0 ? static_cast<size_t>(length) : 0;
    }
    size_t p = pos_ + 2;
    for (int32_t length : lengths_) {
      p += 4;
      if (length < 0) {
        fields.emplace_back();
        continue;
      }
      fields.emplace_back(std::string_view(buffer_.data() + p, static_cast<size_t>(length)));
      p += static_cast<size_t>(length);
    }
    pos_ = p;
    return true;
  }

 private:
  Status read_header() {
    static constexpr std::string_view kSignature("PGCOPY\n\377\r\n\0", 11);
    header_read_ = true;
    bool more = true;
    while (more && buffer_.size() - pos_ < 19) {
      INDIGO_ASSIGN(more, fill());
    }
    if (!more || std::string_view(buffer_).substr(pos_, 11) != kSignature) {
      return bad_format("COPY file signature not recognized");
    }
    auto extension = big_endian(load_unaligned<uint32_t>(buffer_.data() + pos_ + 15));
    if (extension > 0x7fffffff) return bad_format("invalid COPY file header (missing length)");
    pos_ += 19;
    INDIGO_TRY(need(extension));
    pos_ += extension;
    return {};
  }
  Status need(size_t bytes) {
    while (buffer_.size() - pos_ < bytes) {
      INDIGO_ASSIGN(bool more, fill());
      if (!more) return bad_format("unexpected EOF in COPY data");
    }
    return {};
  }

  bool header_read_ = false, finished_ = false;
  std::vector<int32_t> lengths_;
};

}  // namespace

Result<bool> CopyReader::fill() {
  line_ = {};  // it looks at the buffer
  if (ended_) return false;
  if (pos_ > 0) {
    buffer_.erase(0, pos_);
    pos_ = 0;
  }
  // A source that always has more never waits, and a line may be long.
  Waiter& waiter = Waiter::current();
  waiter.yield_if_due();
  if (const InterruptReason reason = waiter.interrupted(); reason != InterruptReason::kNone)
    return interrupt_error(reason);
  size_t before = buffer_.size();
  while (buffer_.size() == before) {
    INDIGO_ASSIGN(bool more, source_.read(buffer_));
    if (!more) {
      ended_ = true;
      return false;
    }
  }
  if (buffer_.size() > types::kMaxTextBytes) {
    return Error(sqlstate::kProgramLimitExceeded, "out of memory")
        .with_detail("Cannot enlarge string buffer containing " + std::to_string(before) + " bytes by " +
                     std::to_string(buffer_.size() - before) + " more bytes.");
  }
  return true;
}

std::unique_ptr<CopyReader> CopyReader::create(CopySource& source, const CopyOptions& options,
                                               std::vector<bool> force_not_null, std::vector<bool> force_null) {
  switch (options.format) {
    case CopyFormat::kText: return std::make_unique<TextReader>(source, options);
    case CopyFormat::kCsv:
      return std::make_unique<CsvReader>(source, options, std::move(force_not_null), std::move(force_null));
    case CopyFormat::kBinary: return std::make_unique<BinaryReader>(source, options);
  }
  return nullptr;
}

}  // namespace indigo::engine
