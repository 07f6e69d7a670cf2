"""Documents and XPath expressions that explode, loop, recurse, or ask for files. Cases as run's: name, statement, answer."""
import random
import threading

TOO_MUCH = ("57014", "54000", "53200")
FAST = "set statement_timeout = 500; "


def declared(entities, body):
    return "<!DOCTYPE a [" + "".join(f"<!ENTITY {name} {value}>" for name, value in entities) + f"]><a>{body}</a>"


def laughs(levels, each):
    entities = [("e0", '"ha"')] + [(f"e{i}", '"' + f"&e{i - 1};" * each + '"') for i in range(1, levels)]
    return declared(entities, f"&e{levels - 1};")


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def spaces(count):
    return " ".join(f'xmlns:n{i}="u{i}"' for i in range(count))


def template(body):
    return ('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
            f'<xsl:template match="/" name="x">{body}</xsl:template></xsl:stylesheet>')


def transformed(document, stylesheet):
    return f"{XML2}select xslt_process({document}, {quoted(stylesheet)})"


XML2 = "create extension if not exists xml2; "
CALL = '<xsl:call-template name="x"/>'
NEXT = '<xsl:call-template name="x"><xsl:with-param name="n" select="$n + 1"/></xsl:call-template>'
NOTHING = ("", "0", "f", "t")
CASES = [
    ("XML: entities of entities", f"select {quoted(laughs(20, 10))}::xml is null", ("2200M", "2200N")),
    ("XML: entities of entities in an attribute",
     "select " + quoted(laughs(20, 10).replace("<a>", '<a b="').replace("</a>", '"/>')) + "::xml is null", ("2200M", "2200N")),
    ("XML: a long entity, often", f"select {quoted(declared([('e', chr(34) + 'x' * 100000 + chr(34))], '&e;' * 20000))}::xml is null",
     ("2200M", "2200N", "f")),
    ("XML: an entity of itself", f"select {quoted(declared([('e', chr(34) + '&e;' + chr(34))], '&e;'))}::xml is null", ("2200M", "2200N")),
    ("XML: parameter entities", "select " + quoted(
        '<!DOCTYPE a [<!ENTITY % p "<!ENTITY &#37; q SYSTEM \'file:///etc/passwd\'>"> %p; %q;]><a/>') + "::xml is null",
     ("2200M", "2200N", "f")),
    ("XML: a file as an entity", "select xpath('string(/)', " + quoted(declared([("e", "SYSTEM 'file:///etc/passwd'")], "&e;")) + "::xml)",
     ("{\"\"}", "2200M", "2200N")),
    ("XML: a file as a document type", "select " + quoted('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>') + "::xml is null", "f"),
    ("XML: the network as a document type", "select " + quoted('<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a"><a/>') + "::xml is null", "f"),
    ("XML: a file by document()", "select xpath('document(\"/etc/passwd\")', '<a/>')", "XX000"),
    ("XML: including", "select xpath('count(//*)', '<a xmlns:xi=\"http://www.w3.org/2001/XInclude\">"
     "<xi:include href=\"/etc/passwd\" parse=\"text\"/></a>')", "{2}"),
    ("XML: deep", "select (repeat('<a>', 100000) || repeat('</a>', 100000))::xml is null", ("2200M", "2200N")),
    ("XML: deep within the limit", "select (repeat('<a>', 200) || repeat('</a>', 200))::xml is null", "f"),
    ("XML: many attributes", "select ('<a ' || string_agg(format('a%s=\"\"', i), ' ') || '/>')::xml is null "
     "from generate_series(1, 300000) i", "54000"),
    ("XML: many attributes in an entity", "select ('<!DOCTYPE a [<!ENTITY e ''&#60;b ' || string_agg(format('a%s=\"\"', i), ' ') || "
     "'/>''>]><a>&e;</a>')::xml is null from generate_series(1, 300000) i", "54000"),
    ("XML: many attributes by themselves", "select ('<!DOCTYPE a [' || string_agg(format('<!ATTLIST a b%s CDATA \"v\">', i), ' ') || "
     "']><a/>')::xml is null from generate_series(1, 100000) i", "54000"),
    ("XML: many names of namespaces", "select ('<a ' || string_agg(format('xmlns:a%s=\"u\"', i), ' ') || '/>')::xml is null "
     "from generate_series(1, 300000) i", "54000"),
    ("XML: a long name", "select ('<' || repeat('a', 20000000) || '/>')::xml is null", ("2200M", "2200N")),
    ("XML: a long text", "select ('<a>' || repeat('x', 20000000) || '</a>')::xml is null", ("2200M", "2200N", "f")),
    ("XML: an odd declaration", "select ('<?xml version=\"' || repeat('1', 5000000) || '\"?><a/>')::xml is null", ("2200M", "2200N", "f")),
    ("XML: bytes that are none", "select xpath('/a', E'<a>\\x01</a>'::xml)", ("2200M", "2200N")),
    ("XPath: deep", "select xpath(repeat('(', 100000) || '1' || repeat(')', 100000), '<a/>')", "XX000"),
    ("XPath: many steps", "select xpath('/a' || repeat('/..', 3000000), '<a/>')", (*TOO_MUCH, "XX000", "{}")),
    ("XPath: sums", "select xpath('1' || repeat('+1', 500000), '<a/>')", (*TOO_MUCH, "XX000")),
    ("XPath: nodes by nodes by nodes", FAST + "select xpath('count(//*[count(//*[count(//*) > 0]) > 0])', "
     "('<a>' || repeat('<b/>', 30000) || '</a>')::xml)", TOO_MUCH),
    ("XPath: sets compared", FAST + "select xpath('//b = //c', ('<a>' || string_agg(format('<b>%s</b><c>x%s</c>', i, i), '') || "
     "'</a>')::xml) from generate_series(1, 200000) i", TOO_MUCH),
    ("XPath: sets united", FAST + "select xpath('count(//b | //c | //d)', ('<a>' || repeat('<b/><c/><d/>', 300000) || '</a>')::xml)",
     TOO_MUCH),
    ("XPath: names of namespaces", FAST + f"select xpath('count(//namespace::* | //namespace::*)', "
     f"('<a {spaces(500)}>' || repeat('<b/>', 2000) || '</a>')::xml)", (*TOO_MUCH, "XX000")),
    ("XPath: translated", FAST + "select xpath('translate(/a, \"' || repeat('y', 2000000) || '\", \"\")', "
     "('<a>' || repeat('x', 5000000) || '</a>')::xml)", TOO_MUCH),
    ("XPath: a large answer", FAST + "select length(xpath('//*', (repeat('<a>', 200) || repeat('<b/>', 500000) || "
     "repeat('</a>', 200))::xml)::text)", (*TOO_MUCH, "XX000", "22003")),
    ("XMLTABLE: rows by rows", FAST + "select count(*) from xmltable('//b' passing (('<a>' || repeat('<b/>', 100000) || '</a>')::xml) "
     "columns n text path 'count(preceding::*[count(//*) > 0])')", TOO_MUCH),
    ("XMLTABLE: its function by name", "select indigo_xmltable('<a/>', 'a', array['x'], row(1, 2), 'zz', 1, 2)", "0A000"),
    ("XML: constructs' functions by name", "select indigo_xmlelement('a', array['b', 'c'], 1)", "0A000"),
    ("XML: constructs' functions by name, with numbers", "select indigo_xmlconcat(1, 2)", "0A000"),
    ("XML: constructs' functions with nulls", "select indigo_xmlforest(null, null)", "0A000"),
    ("XSLT: endless recursion", transformed("'<a/>'", template(CALL)), "38000"),
    ("XSLT: endless recursion within conditions",
     transformed("'<a/>'", template('<xsl:if test="1"><xsl:for-each select="/">' + CALL + "</xsl:for-each></xsl:if>")), "38000"),
    ("XSLT: a loop of calls", FAST + transformed("'<a/>'", template(
        f'<xsl:param name="n" select="0"/><xsl:if test="$n &lt; 60">{NEXT}{NEXT}</xsl:if>')), TOO_MUCH),
    ("XSLT: a growing result", FAST + transformed("'<a/>'", template(
        f'<xsl:param name="n" select="0"/><xsl:if test="$n &lt; 60"><b/>{NEXT}{NEXT}</xsl:if>')), TOO_MUCH),
    ("XSLT: a growing text", transformed("'<a/>'", template(
        '<xsl:param name="n" select="\'xxxxxxxxxx\'"/><xsl:call-template name="x"><xsl:with-param name="n" '
        'select="concat($n, $n)"/></xsl:call-template>')), TOO_MUCH),
    ("XSLT: rows by rows", FAST + transformed("'<a>' || repeat('<b/>', 10000) || '</a>'", template(
        '<xsl:for-each select="//b"><xsl:for-each select="//b"><xsl:for-each select="//b"/></xsl:for-each></xsl:for-each>')), TOO_MUCH),
    ("XSLT: a file by document()", transformed("'<a/>'", template("<xsl:value-of select=\"document('/etc/passwd')\"/>")), "38000"),
    ("XSLT: a file by import", transformed("'<a/>'", template("").replace(
        "<xsl:template", '<xsl:import href="/etc/passwd"/><xsl:template')), "38000"),
    ("XSLT: a file as an entity", transformed(quoted(declared([("e", "SYSTEM 'file:///etc/passwd'")], "&e;")), template(
        '<x><xsl:value-of select="string-length(.)"/></x>')), ('<?xml version="1.0"?>\n<x>0</x>\n', "38000")),
    ("XSLT: many attributes", XML2 + "select xslt_process('<a ' || string_agg(format('a%s=\"\"', i), ' ') || '/>', '<b/>') "
     "from generate_series(1, 300000) i", "54000"),
    ("XSLT: many attributes in an entity", XML2 + "select xslt_process('<!DOCTYPE a [<!ENTITY e ''&#60;b ' || "
     "string_agg(format('a%s=\"\"', i), ' ') || '/>''>]><a>&e;</a>', '<b/>') from generate_series(1, 300000) i", "54000"),
    ("XML: the answer after all of these", "select xpath('/a/b/text()', '<a><b>fine</b></a>')", "{fine}"),
]


def stop_at_random(connect, suite, seed):
    """Four sessions at once whose statements end at whatever instruction, many of them where libxml2 asks for memory."""
    queries = ["select xpath('count(//*[count(//*[count(//*) > 0]) > 0])', ('<a>' || repeat('<b/>', {}) || '</a>')::xml)",
               "select xpath('count(//b | //c | //d)', ('<a>' || repeat('<b/><c/><d/>', {}) || '</a>')::xml)"]
    wrong = []

    def session(number):
        rng = random.Random(f"{seed} {number}")
        server = connect()
        for _ in range(60):
            text = rng.choice(queries).format(rng.choice([2000, 20000, 60000]))
            got = server.run(f"set statement_timeout = {rng.randrange(5, 120)}; {text}")
            if got not in TOO_MUCH and not got.startswith("{"):
                wrong.append(f"{text}: {got}")

    def guarded(number):
        try:
            session(number)
        except Exception as error:  # pylint: disable=broad-except
            wrong.append(repr(error))

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    suite.failed("XML: stopped at random", "\n".join(wrong)) if wrong else suite.passed("XML: stopped at random")
