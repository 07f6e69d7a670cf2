// bloom 1.0. Its indexes are definitions that are kept, shown and dumped (catalog/access_method.h).
#include "types/extension/extension.h"

#include "types/extension/index_entry.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function blhandler(internal) returns index_am_handler as 'MODULE_PATHNAME' language c;
create access method bloom type index handler blhandler;
comment on access method bloom is 'bloom index access method';
create operator class int4_ops default for type int4 using bloom as operator 1 =(int4, int4), function 1 hashint4(int4);
create operator class text_ops default for type text using bloom as operator 1 =(text, text), function 1 hashtext(text);
)sql";

constexpr ScalarEntry kFunctions[] = {{"blhandler", uncallable_kernel}};

}  // namespace

const Extension& bloom_extension() {
  static const Extension extension{.name = "bloom",
                                   .version = "1.0",
                                   .comment = "bloom access method - signature file based index",
                                   .trusted = false,
                                   .schema = {},
                                   .required = {},
                                   .definitions = kDefinitions,
                                   .functions = kFunctions};
  return extension;
}

}  // namespace indigo::types
