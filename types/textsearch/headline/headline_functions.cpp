// ts_headline of texts, and of the strings in JSON documents.
#include <optional>

#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/json/jsonb.h"
#include "types/textsearch/headline/headline_choice.h"
#include "types/textsearch/session.h"

namespace indigo::types {

namespace {

// What a call's texts have in common.
struct HeadlineCall {
  ConfigurationPtr configuration;
  QueryTree query;
  HeadlineOptions options;
};

bool prepare(FuncContext& context, ConfigurationPtr configuration, Str query, Str options, HeadlineCall& call) {
  call.configuration = std::move(configuration);
  if (call.configuration == nullptr) return false;
  call.query = query_of(query);
  return check_tree(context, call.query) && read_headline_options(context, options, call.options);
}

std::string shown_text(const std::vector<HeadlineWord>& words, const HeadlineOptions& options) {
  std::string out;
  bool inside = false, first = true;
  for (const HeadlineWord& word : words) {
    if (word.repeated) continue;
    if (!word.shown) {
      inside = false;
      continue;
    }
    if (!inside && !first) out.append(options.delimiter);
    inside = true;
    first = false;
    if (word.blank) {
      out.push_back(' ');
    } else if (!word.hidden) {
      if (word.selected) out.append(options.start);
      out.append(word.text);
      if (word.selected) out.append(options.stop);
    }
  }
  return out;
}

std::string headline_of(FuncContext& context, const HeadlineCall& call, Str document) {
  HeadlineText text(context, *call.configuration, call.query);
  if (!text.add(document)) return {};
  choose_headline(text, call.options);
  return shown_text(text.words(), call.options);
}

std::string text_headline(FuncContext& context, const HeadlineCall& call, Str document) {
  return headline_of(context, call, document);
}

// The same document with headlines for its strings.
class HeadlineJson final : public JsonSink {
 public:
  HeadlineJson(FuncContext& context, const HeadlineCall& call) : context_(context), call_(call) {}

  void begin_object() override { open('{'); }
  void end_object() override { close('}'); }
  void begin_array() override { open('['); }
  void end_array() override { close(']'); }
  void key(Str name) override {
    separate();
    append_json_string(name, out_);
    out_.push_back(':');
    begins_ = true;
  }
  void string(Str value) override {
    separate();
    append_json_string(headline_of(context_, call_, value), out_);
  }
  void number(Str text) override { raw(text); }
  void boolean(bool value) override { raw(value ? "true" : "false"); }
  void null() override { raw("null"); }
  std::string take() { return std::move(out_); }

 private:
  void separate() {
    if (!begins_) out_.push_back(',');
    begins_ = false;
  }
  void open(char bracket) {
    separate();
    out_.push_back(bracket);
    begins_ = true;
  }
  void close(char bracket) {
    out_.push_back(bracket);
    begins_ = false;
  }
  void raw(Str text) {
    separate();
    out_.append(text);
  }

  FuncContext& context_;
  const HeadlineCall& call_;
  std::string out_;
  bool begins_ = true;
};

std::string json_headline(FuncContext& context, const HeadlineCall& call, Str document) {
  HeadlineJson json(context, call);
  parse_json(context, document, &json);
  return json.take();
}

std::string jsonb_value(FuncContext& context, const HeadlineCall& call, JsonbView value) {
  switch (value.kind()) {
    case JsonKind::kString: return jsonb_string(headline_of(context, call, value.string()));
    case JsonKind::kArray: {
      std::vector<std::string> values;
      for (int32_t i = 0; i < value.count(); i++) values.push_back(jsonb_value(context, call, value.value(i)));
      return jsonb_array(values);
    }
    case JsonKind::kObject: {
      std::vector<JsonbField> fields;
      for (int32_t i = 0; i < value.count(); i++)
        fields.push_back({std::string(value.key(i)), jsonb_value(context, call, value.value(i))});
      return jsonb_object(std::move(fields));
    }
    default: return std::string(value.raw());
  }
}
std::string jsonb_headline(FuncContext& context, const HeadlineCall& call, Str document) {
  return jsonb_value(context, call, JsonbView(document));
}

using Headline = std::string (*)(FuncContext& context, const HeadlineCall& call, Str document);

std::optional<std::string> run(FuncContext& context, Headline headline, ConfigurationPtr configuration, Str document,
                               Str query, Str options) {
  HeadlineCall call;
  if (!prepare(context, std::move(configuration), query, options, call)) return std::nullopt;
  return headline(context, call, document);
}

template <Headline kHeadline>
std::optional<std::string> current_with_options(FuncContext& context, Str document, Str query, Str options) {
  return run(context, kHeadline, current_text_search_configuration(context), document, query, options);
}
template <Headline kHeadline>
std::optional<std::string> current_plain(FuncContext& context, Str document, Str query) {
  return current_with_options<kHeadline>(context, document, query, "");
}
template <Headline kHeadline>
std::optional<std::string> configured_with_options(FuncContext& context, int32_t configuration, Str document, Str query,
                                                   Str options) {
  return run(context, kHeadline, text_search_configuration(context, static_cast<Oid>(configuration)), document, query,
             options);
}
template <Headline kHeadline>
std::optional<std::string> configured_plain(FuncContext& context, int32_t configuration, Str document, Str query) {
  return configured_with_options<kHeadline>(context, configuration, document, query, "");
}

const ScalarEntry kHeadlineEntries[] = {
    {"ts_headline", kernel<current_plain<text_headline>>},
    {"ts_headline_opt", kernel<current_with_options<text_headline>>},
    {"ts_headline_byid", kernel<configured_plain<text_headline>>},
    {"ts_headline_byid_opt", kernel<configured_with_options<text_headline>>},
    {"ts_headline_json", kernel<current_plain<json_headline>>},
    {"ts_headline_json_opt", kernel<current_with_options<json_headline>>},
    {"ts_headline_json_byid", kernel<configured_plain<json_headline>>},
    {"ts_headline_json_byid_opt", kernel<configured_with_options<json_headline>>},
    {"ts_headline_jsonb", kernel<current_plain<jsonb_headline>>},
    {"ts_headline_jsonb_opt", kernel<current_with_options<jsonb_headline>>},
    {"ts_headline_jsonb_byid", kernel<configured_plain<jsonb_headline>>},
    {"ts_headline_jsonb_byid_opt", kernel<configured_with_options<jsonb_headline>>},
};

}  // namespace

std::span<const ScalarEntry> text_search_headline_functions() { return kHeadlineEntries; }

}  // namespace indigo::types
