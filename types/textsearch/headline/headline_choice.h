// Which words of a document make its headline: the best stretch around a cover, or several fragments.
// Thread safety: pure.
#pragma once

#include "types/textsearch/headline/headline_options.h"
#include "types/textsearch/headline/headline_text.h"

namespace indigo::types {

// Marks what is shown and what is selected in it.
void choose_headline(HeadlineText& text, const HeadlineOptions& options);

}  // namespace indigo::types
