// sslinfo 1.2: what pg_stat_ssl says of the session, function by function. It is in C in PostgreSQL, programs here.
#include "types/extension/extension.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function ssl_client_serial() returns numeric language sql volatile strict parallel restricted as
  'select client_serial from pg_catalog.pg_stat_ssl where pid operator(pg_catalog.=) pg_catalog.pg_backend_pid()';
create function ssl_is_used() returns boolean language sql volatile strict parallel restricted as
  'select ssl from pg_catalog.pg_stat_ssl where pid operator(pg_catalog.=) pg_catalog.pg_backend_pid()';
create function ssl_version() returns text language sql volatile strict parallel restricted as
  'select version from pg_catalog.pg_stat_ssl where pid operator(pg_catalog.=) pg_catalog.pg_backend_pid()';
create function ssl_cipher() returns text language sql volatile strict parallel restricted as
  'select cipher from pg_catalog.pg_stat_ssl where pid operator(pg_catalog.=) pg_catalog.pg_backend_pid()';
create function ssl_client_cert_present() returns boolean language sql volatile strict parallel restricted as
  'select client_serial is not null from pg_catalog.pg_stat_ssl
   where pid operator(pg_catalog.=) pg_catalog.pg_backend_pid()';
create function ssl_client_dn() returns text language sql volatile strict parallel restricted as
  'select client_dn from pg_catalog.pg_stat_ssl where pid operator(pg_catalog.=) pg_catalog.pg_backend_pid()';
create function ssl_issuer_dn() returns text language sql volatile strict parallel restricted as
  'select issuer_dn from pg_catalog.pg_stat_ssl where pid operator(pg_catalog.=) pg_catalog.pg_backend_pid()';
)sql";

// COLUMN is one of pg_stat_ssl. Names of fields are OpenSSL's, short or long.
constexpr std::string_view kField = R"sql( returns text
  language plpgsql volatile strict parallel restricted as $program$
declare
  whole pg_catalog.text;
  short pg_catalog.text;
begin
  select COLUMN into whole from pg_catalog.pg_stat_ssl s
    where s.pid operator(pg_catalog.=) pg_catalog.pg_backend_pid();
  if whole is null then return null; end if;
  select n.short into short
    from (values ('CN', 'commonName'), ('SN', 'surname'), ('C', 'countryName'), ('L', 'localityName'),
                 ('ST', 'stateOrProvinceName'), ('street', 'streetAddress'), ('O', 'organizationName'),
                 ('OU', 'organizationalUnitName'), ('title', 'title'), ('description', 'description'),
                 ('initials', 'initials'), ('postalCode', 'postalCode'), ('name', 'name'), ('GN', 'givenName'),
                 ('serialNumber', 'serialNumber'), ('emailAddress', 'emailAddress'), ('UID', 'userId'),
                 ('DC', 'domainComponent')) n(short, long)
    where $1 in (n.short, n.long);
  if short is null then
    raise exception using errcode = '22023', message = 'invalid X.509 field name: "' || $1 || '"';
  end if;
  return pg_catalog.substring(whole, '/' || short || '=((?:[^/]|/(?![A-Za-z]+=))*)');
end
$program$;
)sql";

constexpr std::string_view kExtensions = R"sql(
create function ssl_extension_info(out name text, out value text, out critical boolean) returns setof record
  language plpgsql volatile strict parallel restricted as $program$
begin
  if exists (select from pg_catalog.pg_stat_ssl s
             where s.pid operator(pg_catalog.=) pg_catalog.pg_backend_pid() and s.client_serial is not null) then
    raise exception using errcode = '0A000', message = 'extensions of certificates are not supported';
  end if;
end
$program$;
)sql";

std::string field_function(std::string_view name, std::string_view column) {
  std::string out = "create function " + std::string(name) + "(text)";
  const size_t at = kField.find("COLUMN");
  out.append(kField.substr(0, at)).append(column).append(kField.substr(at + 6));
  return out;
}

}  // namespace

const Extension& sslinfo_extension() {
  static const std::string script = std::string(kDefinitions) + field_function("ssl_client_dn_field", "client_dn") +
                                    field_function("ssl_issuer_field", "issuer_dn") + std::string(kExtensions);
  static const Extension extension{.name = "sslinfo",
                                   .version = "1.2",
                                   .comment = "information about SSL certificates",
                                   .trusted = false,
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = {}};
  return extension;
}

}  // namespace indigo::types
