"""Values of a bytea under a domain whose bytes look like the server's own composite values: what compares, hashes, sorts and
indexes arrays and records of them must take them for bytes, or find every part of them sound."""
import random
import struct

STRING = 7  # how text, numeric, arrays and most others are held
TYPES = [16, 20, 21, 23, 25, 17, 26, 700, 701, 869, 1005, 1007, 1009, 1016, 1043, 1082, 1114, 1186, 1231, 1266, 1560, 1562, 1700,
         2249, 2287, 2950, 3614, 3615, 3802, 3807, 3904, 4451, 600, 602, 604, 16384, 20000]
WORDS = [0, 1, 2, 7, 23, 25, 1700, 16384, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]


def array_of(rng):
    dimensions = rng.choice([0, 1, 1, 1, 2, 6, 7, 255])
    head = struct.pack("<BBBBI", dimensions, rng.choice([0, 0, 1, 255]), rng.choice([3, 2, STRING, STRING, 9]), 0, rng.choice(TYPES))
    lengths = b"".join(struct.pack("<II", rng.choice([1, 2, 3, 0, 0x7FFFFFFF, 0xFFFFFFFF, 134217727]), 1) for _ in range(min(dimensions, 8)))
    return head + lengths + words(rng, rng.randint(0, 8))


def words(rng, count):
    return b"".join(struct.pack("<I", rng.choice(WORDS)) for _ in range(count))


def numeric_of(rng):
    return bytes([rng.choice([0, 5, 127, 0x80, 0x81, 0x82, 0xF0, 0xF2, 0xFF])]) + words(rng, rng.randint(0, 6))[: rng.randint(0, 24)]


def record_of(rng, depth=0):
    image = struct.pack("<II", rng.choice([16384, 20000, 2249]), count := rng.choice([1, 1, 2, 3]))
    for _ in range(count):
        kinds = [array_of, numeric_of, lambda r: words(r, r.randint(0, 5)), lambda r: b""] + ([] if depth > 3 else [lambda r: record_of(r, depth + 1)])
        body = rng.choice(kinds)(rng)
        image += struct.pack("<IiBBI", rng.choice(TYPES), -1, rng.choice([STRING, STRING, STRING, 2, 3, 6]), rng.choice([0, 0, 0, 1]),
                             len(body) + rng.choice([0, 0, 0, 0, 1, 0x7FFFFFF0])) + body
    return image + rng.choice([b"", b"", b"", b"x"])


def changed(rng, image):
    data = bytearray(image)
    for _ in range(rng.choice([0, 0, 1, 3])):
        if data:
            data[rng.randrange(len(data))] = rng.choice([0, 1, 7, 127, 128, 255])
    return bytes(data)


def run_forged(server, suite, seed, count=400):
    rng = random.Random(seed)
    server.run("create domain forged as bytea; create table forgeries(n int, a forged[])")
    server.run("create index on forgeries (a)")
    for i in range(count):
        image = record_of(rng)
        a, b = changed(rng, image).hex(), changed(rng, image).hex()
        server.run(f"insert into forgeries values ({i}, array['\\x{a}', '\\x{b}']::forged[]), ({i}, array['\\x{b}']::forged[])")
        got = server.run(f"select array['\\x{a}'::forged] = array['\\x{a}'::forged] and "
                         f"(array['\\x{a}'::forged] < array['\\x{b}'::forged]) is not null and "
                         f"row('\\x{a}'::forged) = row('\\x{a}'::forged) and "
                         f"hash_array(array['\\x{a}'::forged]) = hash_array(array['\\x{a}'::forged])")
        if got != "t":
            return suite.failed("forged values", f"seed {seed}, {i}: {got} for {a}, {b}")
    for query in ("select count(*) from (select a from forgeries order by a) q", "select count(distinct a) > 0 from forgeries",
                  "select count(*) > 0 from forgeries x join forgeries y on x.a = y.a",
                  "select bool_and(n >= 0) from (select row(a)::record r, min(n) n from forgeries group by 1 order by 1) q"):
        got = server.run(query)
        if got not in ("t", str(2 * count)):
            return suite.failed("forged values", f"seed {seed}: {got} for {query}")
    suite.passed("forged values")
