#include "types/extension/xml2/libxslt.h"

#include <dlfcn.h>

#include <type_traits>

#include "base/memory/memory_reserve.h"
#include "base/static_process.h"

namespace indigo::types::xml2 {

void ignore_print(void*, const char*, ...) {}

namespace {

bool find_functions(void* handle, Libxslt& xslt) {
  bool all = true;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    all = all && function != nullptr;
  };
  find("xmlGcMemSetup", xslt.libxml.set_memory);
  find("xmlInitParser", xslt.libxml.start);
  find("xmlSetExternalEntityLoader", xslt.libxml.set_loader);
  find("xmlGetExternalEntityLoader", xslt.libxml.loader);
  find("xmlNewStringInputStream", xslt.libxml.string_input);
  find("xmlGetGlobalState", xslt.libxml.thread_state);
  find("__xmlLastError", xslt.libxml.last_error);
  find("xmlNewParserCtxt", xslt.parser.make);
  find("xmlSAX2EntityDecl", xslt.parser.declare_entity);
  find("xmlSAX2AttributeDecl", xslt.parser.declare_attribute);
  find("xmlCtxtReadMemory", xslt.read);
  find("xmlSetStructuredErrorFunc", xslt.set_error_handler);
  find("xmlSetGenericErrorFunc", xslt.set_printer);
  find("xsltInit", xslt.start);
  find("xsltSetGenericErrorFunc", xslt.set_own_printer);
  find("xsltSetTransformErrorFunc", xslt.set_transform_printer);
  find("xsltParseStylesheetDoc", xslt.compile);
  find("xsltNewTransformContext", xslt.new_context);
  find("xsltNewSecurityPrefs", xslt.new_preferences);
  find("xsltSetSecurityPrefs", xslt.set_preference);
  find("xsltSecurityForbid", xslt.forbid);
  find("xsltSetCtxtSecurityPrefs", xslt.use_preferences);
  find("xsltApplyStylesheetUser", xslt.apply);
  find("xsltSaveResultToString", xslt.write);
  return all;
}

bool load(Libxslt& xslt) {
  if (is_static_process()) return false;
  const MustNotFail scope;  // what the loader and the libraries set up once
  void* const handle = dlopen("libxslt.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr || !find_functions(handle, xslt)) return false;
  adopt_libxml(xslt.libxml);
  xslt.start();
  xslt.set_own_printer(nullptr, ignore_print);  // it would write to standard error
  return true;
}

}  // namespace

const Libxslt* libxslt() {
  static Libxslt xslt;
  static const bool loaded = load(xslt);
  return loaded ? &xslt : nullptr;
}

}  // namespace indigo::types::xml2
