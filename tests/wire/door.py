"""Who comes in and how: TLS, hba_file, ident_file, their reload; with psql, and with clients that libpq would not be."""
import os
import pathlib
import resource
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time

import protocol
from probes import Served, answers, connect, done, eventually, value

TIMEOUT_S = protocol.TIMEOUT_S
SSL_REQUEST = protocol.startup_packet(80877103)
RULES = """local all all trust
hostssl all alice all cert
hostssl all carol all trust clientcert=verify-full
hostssl all all 127.0.0.1/32 scram-sha-256
host all all all reject
"""


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, timeout=TIMEOUT_S)


def make_certificate(folder, name, subject, authority="ca"):
    openssl(folder, "req", "-newkey", "rsa:2048", "-nodes", "-subj", subject, "-keyout", f"{name}.key", "-out", f"{name}.csr")
    names = pathlib.Path(folder, f"{name}.ext")
    names.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.crt", "-CAkey", f"{authority}.key",
            "-CAcreateserial", "-days", "2", "-out", f"{name}.crt", "-extfile", names.name)
    os.chmod(pathlib.Path(folder, f"{name}.key"), 0o600)


def make_authority(folder, name):
    openssl(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
            "-keyout", f"{name}.key", "-out", f"{name}.crt")


class House:
    """A server with certificates and rules, and its clients."""

    def __init__(self, binary, rules=RULES, **settings):
        self.temporary = tempfile.TemporaryDirectory(prefix="indigo-door-")
        self.folder = self.temporary.name
        make_authority(self.folder, "ca")
        make_certificate(self.folder, "server", "/CN=localhost")
        self.path("hba.conf").write_text(rules)
        files = {"ssl": "on", "ssl_cert_file": self.path("server.crt"), "ssl_key_file": self.path("server.key"),
                 "ssl_ca_file": self.path("ca.crt"), "hba_file": self.path("hba.conf")} | settings
        words = [word for name, text in files.items() for word in ("-c", f"{name}={text}")]
        self.server = Served(binary, self.folder, "-p", "0", "-h", "127.0.0.1", *words)
        self.owner = connect(self.server.address)
        done(self.owner, "create role alice login; create role bob login password 'secret'; create role carol login")

    def path(self, name):
        return pathlib.Path(self.folder, name)

    def psql(self, text, **parameters):
        """(what it printed, what it complained of)"""
        asked = {"host": "localhost", "hostaddr": "127.0.0.1", "port": self.server.port, "dbname": "postgres", "user": "bob",
                 "password": "secret", "sslmode": "verify-full", "sslrootcert": self.path("ca.crt"), "connect_timeout": 10}
        conninfo = " ".join(f"{name}={word}" for name, word in (asked | parameters).items() if word is not None)
        ran = subprocess.run(["psql", "-XAtc", text, conninfo], capture_output=True, text=True, timeout=TIMEOUT_S)
        return ran.stdout.strip(), ran.stderr.strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.owner.close()
        assert self.server.end(signal.SIGTERM) == 0
        self.temporary.cleanup()


def same(got, wanted):
    assert got == wanted, f"{got!r} is not {wanted!r}"


def contains(text, part):
    assert part in text, f"{part!r} is not in {text!r}"


def clients_see_the_certificate_that_they_trust(binary):
    with House(binary) as house:
        query = "select ssl, version from pg_stat_ssl where pid = pg_backend_pid()"
        same(house.psql(query, channel_binding="require"), ("t|TLSv1.3", ""))
        same(house.psql(query, ssl_max_protocol_version="TLSv1.2"), ("t|TLSv1.2", ""))
        same(house.psql("select 1", sslmode="require", channel_binding="disable"), ("1", ""))
        contains(house.psql("select 1", host="other.example")[1], 'does not match host name "other.example"')
        make_authority(house.folder, "stranger")
        contains(house.psql("select 1", sslrootcert=house.path("stranger.crt"))[1], "certificate verify failed")
        contains(house.psql("select 1", sslmode="disable")[1], "no encryption")
        contains(house.psql("select 1", password="wrong")[1], "password authentication failed")
        same(house.psql("select inet_client_addr(), inet_server_port() = inet_server_port()"), ("127.0.0.1|t", ""))
        addresses = "select client_addr from pg_stat_activity where pid = pg_backend_pid()"
        same(house.psql(addresses), ("127.0.0.1", ""))


def clients_show_certificates(binary):
    with House(binary) as house:
        make_certificate(house.folder, "alice", "/C=DE/CN=alice")
        make_certificate(house.folder, "carol", "/CN=carol")
        make_authority(house.folder, "stranger")
        make_certificate(house.folder, "forged", "/CN=alice", "stranger")

        def login(user, name):
            return house.psql("select client_dn, issuer_dn from pg_stat_ssl where pid = pg_backend_pid()", user=user,
                              sslcert=house.path(f"{name}.crt"), sslkey=house.path(f"{name}.key"))

        same(login("alice", "alice"), ("/C=DE/CN=alice|/CN=ca", ""))
        same(login("carol", "carol"), ("/CN=carol|/CN=ca", ""))
        contains(login("alice", "carol")[1], 'certificate authentication failed for user "alice"')
        contains(login("carol", "alice")[1], '"trust" authentication failed for user "carol"')
        contains(house.psql("select 1", user="alice")[1], "connection requires a valid client certificate")
        assert login("alice", "forged")[0] == "", "a stranger's certificate was taken"
        answers(house.server.address)


def auth_delay_lets_those_wait_who_do_not_come_in(binary):
    def took(password):
        begin = time.monotonic()
        answer = house.psql("select 1", password=password)
        return time.monotonic() - begin, answer

    with House(binary, **{"shared_preload_libraries": "auth_delay", "auth_delay.milliseconds": "1200"}) as house:
        seconds, (_, complaint) = took("wrong")
        contains(complaint, "password authentication failed")
        assert seconds >= 1.2, f"after {seconds} seconds"
        seconds, answer = took("secret")
        same(answer, ("1", ""))
        assert seconds < 1.2, f"after {seconds} seconds"
        same(value(house.owner, "show auth_delay.milliseconds"), "1200ms")
    with House(binary, **{"auth_delay.milliseconds": "1200"}) as house:
        assert took("wrong")[0] < 1.2, "though the module is not loaded"


def files_are_read_again(binary):
    with House(binary) as house:
        same(house.psql("select 1"), ("1", ""))
        make_authority(house.folder, "ca2")
        make_certificate(house.folder, "server", "/CN=localhost", "ca2")
        same(value(house.owner, "select pg_reload_conf()"), "t")
        contains(house.psql("select 1")[1], "certificate verify failed")
        same(house.psql("select 1", sslrootcert=house.path("ca2.crt")), ("1", ""))
        house.path("server.crt").write_text("no certificate")
        house.path("hba.conf").write_text("host all all all nonsense\n")
        same(value(house.owner, "select pg_reload_conf()"), "t")  # what is wrong is logged, what was stays
        same(house.psql("select 1", sslrootcert=house.path("ca2.crt")), ("1", ""))
        same(value(house.owner, "select error from pg_hba_file_rules"), 'invalid authentication method \\"nonsense\\')
        house.path("hba.conf").write_text("local all all trust\nhost all all all trust\n")
        os.kill(house.server.pid, signal.SIGHUP)
        eventually(lambda: house.psql("select 2", sslmode="disable", password=None) == ("2", ""))


def system_users_are_roles(binary):
    name = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    with House(binary) as house:
        rules = f"local all {name} peer\nlocal all bob peer map=m\nlocal all postgres trust\nlocal all all peer\n"
        house.path("hba.conf").write_text(rules)
        done(house.owner, "select pg_reload_conf()")
        here = {"host": house.folder, "hostaddr": None, "password": None, "sslmode": None, "sslrootcert": None}
        same(house.psql("select current_user", user=name, **here), (name, ""))
        contains(house.psql("select 1", user="carol", **here)[1], 'Peer authentication failed for user "carol"')
        contains(house.psql("select 1", user="bob", **here)[1], 'Peer authentication failed for user "bob"')
    with House(binary, "local all postgres trust\nlocal all all peer map=m\n") as house:
        same(value(house.owner, "select count(*) from pg_ident_file_mappings"), "0")


def much_goes_through_tls(binary):
    with House(binary) as house:
        text = "select md5(string_agg(t, '')) from (select repeat(chr(65 + g % 26), 1000) t from generate_series(1, 20000) g) x"
        expected = value(house.owner, text)
        rows = "copy (select repeat(chr(65 + g % 26), 1000) from generate_series(1, 20000) g) to stdout"
        printed, complaint = house.psql(rows)
        same((complaint, len(printed)), ("", 20000 * 1001 - 1))
        table = "create temp table copied (i serial, t text)"
        conninfo = f"host=localhost hostaddr=127.0.0.1 port={house.server.port} dbname=postgres user=bob password=secret " \
                   f"sslmode=verify-full sslrootcert={house.path('ca.crt')}"
        ran = subprocess.run(["psql", "-XAtq", "-c", table, "-c", "copy copied (t) from stdin", "-c",
                              "select md5(string_agg(t, '' order by i)) from copied", conninfo],
                             input=printed + "\n", capture_output=True, text=True, timeout=60)
        same((ran.stdout.strip(), ran.stderr), (expected, ""))


def tls_client(house):
    """A Python client past its handshake; what it trusts is not the point."""
    raw = socket.create_connection(("127.0.0.1", house.server.port), timeout=TIMEOUT_S)
    raw.sendall(SSL_REQUEST)
    same(raw.recv(1), b"S")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(raw)


def bad_clients_harm_no_others(binary):
    with House(binary, RULES.replace("host all all all reject", "host all all all trust")) as house:
        for rubbish in (b"", b"\x16", b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/1.1\r\n\r\n", b"\0" * 5000, b"\x80" * 70000):
            with socket.create_connection(("127.0.0.1", house.server.port), timeout=TIMEOUT_S) as client:
                client.sendall(SSL_REQUEST)
                same(client.recv(1), b"S")
                try:
                    client.sendall(rubbish)
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(4096):
                        pass
                except OSError:
                    pass
        # What comes in one piece with the request was sent by someone who did not wait for the key.
        with socket.create_connection(("127.0.0.1", house.server.port), timeout=TIMEOUT_S) as client:
            client.sendall(SSL_REQUEST + protocol.startup_packet(196608, [("user", "postgres")]))
            answer = b""
            try:
                while piece := client.recv(4096):
                    answer += piece
            except OSError:
                pass
            assert b"received unencrypted data after SSL request" in answer, answer
        # A second request, inside the first one's encryption.
        with tls_client(house) as client:
            client.sendall(SSL_REQUEST)
            client.settimeout(TIMEOUT_S)
            refused = client.recv(10)
            assert refused != b"S", refused
        # Byte after byte, and cut off in the middle of a record.
        with tls_client(house) as client:
            for byte in protocol.startup_packet(196608, [("user", "postgres"), ("database", "postgres")]):
                client.send(bytes([byte]))
            contains(client.recv(4096)[:1].decode(), "R")
        cut = tls_client(house)
        raw = socket.socket(fileno=cut.detach())
        raw.sendall(b"\x17\x03\x03\x40\x00" + b"x" * 100)
        raw.close()
        answers(house.server.address)


def slow_handshakes_stop_no_others(binary):
    with House(binary, authentication_timeout="2") as house:
        silent = []
        for _ in range(50):
            client = socket.create_connection(("127.0.0.1", house.server.port), timeout=TIMEOUT_S)
            client.sendall(SSL_REQUEST)
            silent.append(client)
        same(house.psql("select 1"), ("1", ""))
        for client in silent:
            same(client.recv(1), b"S")
            same(client.recv(1), b"")  # the time for authentication is over
            client.close()
        answers(house.server.address)


def silent_clients_keep_out_no_others(binary):
    with House(binary, "local all all trust\nhost all all all trust\n", ssl="off", max_connections="5") as house:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
        silent = []
        try:
            for _ in range(1200):
                silent.append(socket.create_connection(("127.0.0.1", house.server.port), timeout=TIMEOUT_S))
            for way in ({}, {"host": house.folder, "hostaddr": None}):
                same(house.psql("select 1", sslmode="disable", sslrootcert=None, **way), ("1", ""))
        finally:
            for client in silent:
                client.close()
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        answers(house.server.address)


def cancel_and_drop_reach_through_tls(binary):
    with House(binary, RULES.replace("scram-sha-256", "trust").replace("hostssl all carol all trust clientcert=verify-full\n", "")) \
            as house:
        client = tls_client(house)
        client.sendall(protocol.startup_packet(196608, [("user", "bob"), ("database", "postgres")]))
        received = b""
        while not received.endswith(b"Z\0\0\0\5I"):
            received += client.recv(4096)
        at = received.index(b"K\0\0\0\x0c")
        pid, key = struct.unpack(">ii", received[at + 5:at + 13])
        client.sendall(protocol.message(b"Q", b"select pg_sleep(600)\0"))
        eventually(lambda: value(house.owner, "select count(*) from pg_stat_activity where query like 'select pg_sleep%'"
                                              " and state = 'active'") == "1")
        with tls_client(house) as other:
            other.sendall(struct.pack(">iiii", 16, 80877102, pid, key))
        refused = b""
        while not refused.endswith(b"Z\0\0\0\5I"):
            refused += client.recv(4096)
        assert b"57014" in refused, refused
        client.sendall(protocol.message(b"Q", b"select pg_sleep(600)\0"))
        eventually(lambda: value(house.owner, "select count(*) from pg_stat_activity where query like 'select pg_sleep%'"
                                              " and state = 'active'") == "1")
        raw = socket.socket(fileno=client.detach())
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raw.close()  # a reset: the statement ends with its client
        eventually(lambda: value(house.owner, "select count(*) from pg_stat_activity where usename = 'bob'") == "0")


def many_handshakes_at_once(binary):
    with House(binary, RULES.replace("scram-sha-256", "trust").replace("hostssl all carol all trust clientcert=verify-full\n", "")) \
            as house:
        failures = []

        def come_and_go():
            try:
                for _ in range(5):
                    with tls_client(house) as client:
                        client.sendall(protocol.startup_packet(196608, [("user", "bob"), ("database", "postgres")]))
                        assert client.recv(1) == b"R"
            except Exception as failure:
                failures.append(failure)

        threads = [threading.Thread(target=come_and_go) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not failures, failures
        answers(house.server.address)


def wrong_files_end_the_start(binary):
    with tempfile.TemporaryDirectory(prefix="indigo-door-") as folder:
        make_authority(folder, "ca")
        make_certificate(folder, "server", "/CN=localhost")
        make_certificate(folder, "other", "/CN=localhost")

        def complaint(**settings):
            words = [word for name, text in settings.items() for word in ("-c", f"{name}={text}")]
            ran = subprocess.run([binary, "serve", "-p", "0", "-k", folder, *words], capture_output=True, text=True,
                                 timeout=TIMEOUT_S)
            assert ran.returncode != 0, ran
            return ran.stderr

        files = {"ssl": "on", "ssl_cert_file": f"{folder}/server.crt", "ssl_key_file": f"{folder}/server.key"}
        contains(complaint(**files | {"ssl_cert_file": f"{folder}/absent"}),
                 f'could not load server certificate file "{folder}/absent": No such file or directory')
        contains(complaint(**files | {"ssl_key_file": f"{folder}/other.key"}), "key values mismatch")
        os.chmod(f"{folder}/server.key", 0o644)
        contains(complaint(**files), f'private key file "{folder}/server.key" has group or world access')
        os.chmod(f"{folder}/server.key", 0o600)
        contains(complaint(**files, ssl_ciphers="nonsense"), "no valid ciphers available")
        contains(complaint(**files, ssl_ecdh_curve="nonsense"), "unrecognized curve name: nonsense")
        contains(complaint(**files, ssl_ca_file=f"{folder}/absent"), "could not load root certificate file")
        contains(complaint(**files, ssl_min_protocol_version="TLSv1.3", ssl_max_protocol_version="TLSv1.2"),
                 "could not set SSL protocol version range")
        pathlib.Path(folder, "hba.conf").write_text("local all all\n")
        contains(complaint(hba_file=f"{folder}/hba.conf"), "end-of-line before authentication method")
        contains(complaint(hba_file=f"{folder}/absent"), "could not open configuration file")


def sockets_have_modes_and_places_are_kept(binary):
    with House(binary, "local all all trust\n", ssl="off", unix_socket_permissions="0750", max_connections="5") as house:
        socket_file = os.path.join(house.folder, f".s.PGSQL.{house.server.port}")
        same(oct(os.stat(socket_file).st_mode & 0o777), "0o750")
        done(house.owner, "create role plain login")
        plain = [connect(house.server.address, user="plain")]
        refused = protocol.Connection(house.server.address, {})
        got = refused.start([("user", "plain"), ("database", "postgres")])
        same(got, 'ErrorResponse FATAL 53300 "remaining connection slots are reserved for non-replication superuser connections"')
        answers(house.server.address)
        plain[0].close()


CHECKS = [
    sockets_have_modes_and_places_are_kept,
    clients_see_the_certificate_that_they_trust,
    clients_show_certificates,
    auth_delay_lets_those_wait_who_do_not_come_in,
    files_are_read_again,
    system_users_are_roles,
    much_goes_through_tls,
    bad_clients_harm_no_others,
    slow_handshakes_stop_no_others,
    silent_clients_keep_out_no_others,
    cancel_and_drop_reach_through_tls,
    many_handshakes_at_once,
    wrong_files_end_the_start,
]
