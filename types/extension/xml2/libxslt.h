// libxslt, which Debian has as a shared library alone: loaded when a stylesheet is first used, with the copy of libxml2 that it
// brings. What that allocates within a call of with_libxml() belongs to the call (types/xml/libxml_call.h).
// Thread safety: all functions.
#pragma once

#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxslt/security.h>
#include <libxslt/transform.h>
#include <libxslt/xsltInternals.h>
#include <libxslt/xsltutils.h>

#include "types/xml/libxml_call.h"
#include "types/xml/xml_document.h"

namespace indigo::types::xml2 {

struct Libxslt {
  // of its libxml2
  OtherLibxml libxml;
  XmlParserMaker parser{};
  decltype(&xmlCtxtReadMemory) read = nullptr;
  decltype(&xmlSetStructuredErrorFunc) set_error_handler = nullptr;
  decltype(&xmlSetGenericErrorFunc) set_printer = nullptr;
  // its own
  decltype(&xsltInit) start = nullptr;
  decltype(&xsltSetGenericErrorFunc) set_own_printer = nullptr;
  decltype(&xsltSetTransformErrorFunc) set_transform_printer = nullptr;
  decltype(&xsltParseStylesheetDoc) compile = nullptr;
  decltype(&xsltNewTransformContext) new_context = nullptr;
  decltype(&xsltNewSecurityPrefs) new_preferences = nullptr;
  decltype(&xsltSetSecurityPrefs) set_preference = nullptr;
  decltype(&xsltSecurityForbid) forbid = nullptr;
  decltype(&xsltSetCtxtSecurityPrefs) use_preferences = nullptr;
  decltype(&xsltApplyStylesheetUser) apply = nullptr;
  decltype(&xsltSaveResultToString) write = nullptr;
};

// Null when the machine has none. Outside of calls.
const Libxslt* libxslt();

// A handler for what the libraries would print.
void ignore_print(void* context, const char* format, ...);

}  // namespace indigo::types::xml2
