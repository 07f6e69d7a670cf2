// A throw-away PostgreSQL-compatible database: starts `indigo`, makes databases in it.
import {spawn} from "node:child_process";
import {existsSync} from "node:fs";
import {createInterface} from "node:readline";
import {fileURLToPath} from "node:url";
import {runScript, SqlError} from "./protocol.js";

export {SqlError};

const carried = fileURLToPath(new URL("./bin/indigo", import.meta.url));
// $INDIGO, else the binary that this package carries, else indigo of $PATH.
export const binary = process.env.INDIGO || (existsSync(carried) ? carried : "indigo");

export class Database {
  constructor({host = "localhost", port, user = "postgres", name}) {
    Object.assign(this, {host, port, user, name});
  }
  get url() {
    return `postgresql://${this.user}@${this.host}:${this.port}/${this.name}`;
  }
  // Runs statements; the last one's rows, as texts.
  execute(sql) {
    return runScript(this, sql);
  }
}

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

// A server that runs already, by its port: this one's, or the one that global set-up has started.
export class RunningServer {
  constructor(port) {
    this.port = port;
  }
  database(name) {
    return new Database({port: this.port, name});
  }
  // A clone takes a millisecond, whatever the template's size.
  async create(name, template) {
    await this.database("postgres").execute(`create database ${quoted(name)}` + (template ? ` template ${quoted(template)}` : ""));
    return this.database(name);
  }
  drop(name) {
    return this.database("postgres").execute(`drop database if exists ${quoted(name)} with (force)`);
  }
}

export class Server extends RunningServer {
  #process;
  constructor(process, port) {
    super(port);
    this.#process = process;
  }
  // On a free port, in memory; it ends with stop() or with this process.
  static async start(settings = {}) {
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    // It lives as long as its command, which reads our end of the pipe.
    const process = spawn(binary, ["run", ...options, "--", "sh", "-c", 'echo "$PGPORT"; exec cat'],
                          {stdio: ["pipe", "pipe", "inherit"], detached: true});
    const lines = createInterface({input: process.stdout});
    const port = await new Promise((resolve, reject) => {
      lines.once("line", (line) => resolve(Number(line)));
      process.once("error", reject);
      process.once("exit", (code) => reject(new Error(`indigo did not start: it exited with ${code}`)));
    });
    process.unref();
    process.stdin.unref();
    process.stdout.unref();
    return new Server(process, port);
  }
  stop() {
    return new Promise((resolve) => {
      this.#process.ref();
      this.#process.once("exit", resolve);
      this.#process.stdin.end();
    });
  }
}

export const TEMPLATE = "indigo_template";
let number = 0;

// In a test: a database of its own, cloned from the template that global set-up has made.
export async function testDatabase() {
  const port = Number(process.env.INDIGO_PORT);
  if (!port) throw new Error("INDIGO_PORT is not set: is indigo-server/vitest or indigo-server/jest the global set-up?");
  const server = new RunningServer(port);
  const database = await server.create(`test_${process.pid}_${++number}`, TEMPLATE);
  database.drop = () => server.drop(database.name);
  return database;
}

// Global set-up: a server, and a template of INDIGO_SCHEMA's files (colons between them), then of the module INDIGO_MIGRATE, whose
// default export is given the template's Database.
export async function globalSetup() {
  const {readFile} = await import("node:fs/promises");
  const {pathToFileURL} = await import("node:url");
  const server = await Server.start();
  const template = await server.create(TEMPLATE);
  for (const file of (process.env.INDIGO_SCHEMA ?? "").split(":").filter(Boolean)) await template.execute(await readFile(file, "utf8"));
  if (process.env.INDIGO_MIGRATE) await (await import(pathToFileURL(process.env.INDIGO_MIGRATE))).default(template);
  process.env.INDIGO_PORT = String(server.port);
  return server;
}
