// As much of PostgreSQL's protocol as it takes to run a script where no password is asked for.
import net from "node:net";

export class SqlError extends Error {
  constructor(fields) {
    super(fields.M ?? "the server said nothing");
    this.sqlstate = fields.C ?? "";
  }
}

function message(kind, body) {
  const head = Buffer.alloc(kind.length + 4);
  head.write(kind);
  head.writeInt32BE(body.length + 4, kind.length);
  return Buffer.concat([head, body]);
}

function row(body) {
  const out = [];
  for (let i = 0, at = 2; i < body.readInt16BE(0); i++) {
    const size = body.readInt32BE(at);
    out.push(size < 0 ? null : body.toString("utf8", at + 4, at + 4 + size));
    at += 4 + Math.max(size, 0);
  }
  return out;
}

// The rows of the last statement that has any, as arrays of texts.
export function runScript({host, port, user, name}, sql) {
  return new Promise((resolve, reject) => {
    let input = Buffer.alloc(0), rows = [], error = null, sent = false;
    const socket = net.connect({host, port});
    const words = ["user", user, "database", name, "client_encoding", "UTF8", "", ""].join("\0");
    socket.on("connect", () => socket.write(message("", Buffer.concat([Buffer.from([0, 3, 0, 0]), Buffer.from(words)]))));
    socket.on("error", reject);
    socket.on("close", () => (error ? reject(error) : sent ? resolve(rows) : reject(new Error("the server closed the connection"))));
    const take = (kind, body) => {
      if (kind === "T") rows = [];
      if (kind === "D") rows.push(row(body));
      if (kind === "E") error = new SqlError(Object.fromEntries(body.toString().split("\0").filter(Boolean).map((f) => [f[0], f.slice(1)])));
      if (kind === "R" && body.readInt32BE(0) !== 0) error = new SqlError({C: "28000", M: "the server wants a password"});
      if (kind === "Z" && !sent) {
        sent = true;
        socket.write(message("Q", Buffer.from(sql + "\0")));
      } else if (kind === "Z" || error?.sqlstate === "28000") {
        socket.end(message("X", Buffer.alloc(0)));
      }
    };
    socket.on("data", (data) => {
      input = Buffer.concat([input, data]);
      while (input.length >= 5 && input.length >= 1 + input.readInt32BE(1)) {
        const size = input.readInt32BE(1);
        take(String.fromCharCode(input[0]), input.subarray(5, 1 + size));
        input = input.subarray(1 + size);
      }
    });
  });
}
