/**
 * Tries dist/waypost (or the file named) as a stranger would run it: with an empty environment, and where
 * this script is root as nobody on a file system of which only the data directory can be written. `node
 * scripts/build/smoke.ts [file]`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import sharp from "sharp";
import manifest from "../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");
const file = resolve(process.argv[2] ?? join(root, "dist/waypost"));
const isRoot = process.geteuid?.() === 0;
const nobody = 65534;

const home = mkdtempSync(join(tmpdir(), "waypost-smoke-"));
const program = join(home, "waypost");
const data = join(home, "data");
const config = join(home, "waypost.env");
chmodSync(home, 0o755);
copyFileSync(file, program);
chmodSync(program, 0o755);
mkdirSync(data);
if (isRoot) chownSync(data, nobody, nobody);
writeFileSync(config, `WAYPOST_DATA_DIR=${data}\nPORT=0\nWAYPOST_LOG_FORMAT=pretty\n`);

/** Everything but the data directory becomes read-only, then root is given up. */
const enclosed =
  'mount --make-rprivate / && mount --bind "$1" "$1" && mount -o remount,bind,ro / && shift && ' +
  `exec setpriv --reuid=${nobody} --regid=${nobody} --clear-groups --no-new-privs -- "$@"`;

const start = (...parameters: ReadonlyArray<string>): ChildProcess => {
  const line = ["env", "-i", program, ...parameters];
  const [command = "", ...rest] = isRoot
    ? ["unshare", "--mount", "sh", "-c", enclosed, "sh", data, ...line]
    : line;
  return spawn(command, rest, { cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
};

const textOf = (child: ChildProcess): { out: string; error: string } => {
  const text = { out: "", error: "" };
  child.stdout?.on("data", (chunk: Buffer) => (text.out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (text.error += chunk.toString()));
  return text;
};

const must = (isSo: boolean, what: string, detail = ""): void => {
  if (!isSo) throw new Error(`Not so: ${what}. ${detail}`);
  console.log(`  ${what}`);
};

const command = async (...parameters: ReadonlyArray<string>): Promise<string> => {
  const child = start(...parameters);
  const text = textOf(child);
  const [code] = (await once(child, "close")) as [number | null];
  must(code === 0, `waypost ${parameters.slice(0, 2).join(" ")}`, text.error);
  return text.out;
};

/** Starts the server and gives its address and the milliseconds to it. */
const listening = async (server: ChildProcess): Promise<{ origin: string; millis: number }> => {
  const began = performance.now();
  const text = textOf(server);
  const ended = once(server, "close");
  for (;;) {
    const origin = /listening on (\S+)/.exec(text.out)?.[1];
    if (origin !== undefined) {
      if (text.error.includes("unpacking")) console.log(`  ${text.error.split("\n")[0] ?? ""}`);
      return { origin, millis: Math.round(performance.now() - began) };
    }
    const how = await Promise.race([once(server.stdout ?? server, "data"), ended.then(() => undefined)]);
    if (how === undefined) throw new Error(`It ended: ${text.error}`);
  }
};

const stop = async (server: ChildProcess): Promise<void> => {
  if (server.exitCode !== null) return;
  const ended = once(server, "close");
  server.kill("SIGTERM");
  const [code] = (await ended) as [number | null];
  must(code === 0, "SIGTERM ends it with exit code 0", String(code));
};

const story = async (origin: string): Promise<void> => {
  const here = ["--config", config];
  await command("workspace", "create", "--name", "Smoke", "--timezone", "Europe/Amsterdam", ...here);
  const issued = await command("token", "issue", "-w", "Smoke", "-e", "sandbox", "--json", ...here);
  const token = /"token":\s*"([^"]+)"/.exec(issued)?.[1] ?? "";
  const platform = `${origin}/sandbox/platform/v1`;
  const authorization = { Authorization: `Bearer ${token}` };

  const places = readFileSync(join(root, "docs/examples/locations.geojson"), "utf8");
  const imported = await fetch(`${platform}/locations/import`, {
    method: "POST",
    headers: { ...authorization, "Content-Type": "application/geo+json" },
    body: places,
  });
  must(imported.status === 200, "places are imported", await imported.text());

  const body = new FormData();
  const picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: "teal" } })
    .jpeg()
    .toBuffer();
  body.append("file", new File([new Uint8Array(picture)], "photo.jpg", { type: "image/jpeg" }));
  const uploaded = await fetch(`${platform}/media`, { method: "POST", headers: authorization, body });
  const answer = await uploaded.text();
  must(uploaded.status === 201, "a picture is uploaded and looked into", answer);
  const thumbnail = /"thumbnail_url":\s*"([^"]+)"/.exec(answer)?.[1] ?? "";
  const small = await fetch(thumbnail);
  must(
    small.status === 200 && small.headers.get("content-type") === "image/webp",
    "it has a thumbnail",
    `${thumbnail}: ${small.status} ${String(small.headers.get("content-type"))}`,
  );
  await command("report", "summary", "-w", "Smoke", "-e", "sandbox", ...here);
  const docs = await fetch(`${origin}/docs`);
  must(docs.status === 200, "the documentation is served", String(docs.status));
};

let server = start("serve", "--config", config);
try {
  console.log(
    isRoot ? "As nobody, read-only but for the data directory, no environment:" : "With no environment:",
  );
  const cold = await listening(server);
  console.log(`  first start: ${cold.millis} ms`);
  await story(cold.origin);
  await stop(server);
  server = start("serve", "--config", config);
  const warm = await listening(server);
  console.log(`  next start: ${warm.millis} ms`);
  await stop(server);
  // In a folder whose parent can be written: a restore is made beside its place, and renamed.
  const backup = join(home, "backup.tar.gz");
  const elsewhere = join(home, "restored.env");
  copyFileSync(join(root, `test/upgrades/fixtures/${manifest.version}.tar.gz`), backup);
  chmodSync(backup, 0o644);
  writeFileSync(elsewhere, `WAYPOST_DATA_DIR=${data}/restored\nPORT=0\nWAYPOST_LOG_FORMAT=pretty\n`);
  await command("restore", backup, "--config", elsewhere);
  server = start("serve", "--config", elsewhere);
  await listening(server);
  const listed = await command("workspace", "list", "--config", elsewhere);
  must(listed.includes("Acme"), "a backup of this release is restored, keys included", listed);
  await stop(server);
  const texts = await command("licenses");
  must(texts.includes("PostgreSQL") && texts.includes("libvips"), "it names the licences of what it carries");
} finally {
  server.kill("SIGTERM");
  if (server.exitCode === null && server.signalCode === null) await once(server, "close");
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
