// The options of ts_headline: MaxWords=20, StartSel=<em> and so on.
// Thread safety: pure functions.
#pragma once

#include <string>

#include "types/function/context.h"

namespace indigo::types {

struct HeadlineOptions {
  int32_t min_words = 15, max_words = 35, short_word_bytes = 3, max_fragments = 0;
  bool highlight_all = false;
  std::string start = "<b>", stop = "</b>", delimiter = " ... ";

  // Words of a document that are looked through for one cover.
  int64_t max_cover() const;
};

// False: the context has the error.
bool read_headline_options(FuncContext& context, Str text, HeadlineOptions& options);

}  // namespace indigo::types
