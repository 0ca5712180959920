/**
 * Tests dist/waypost, or another file, with an empty environment. As root, the program runs
 * as nobody on a read-only file system, where only the data directory is writable:
 * `node scripts/build/smoke.ts [file]`.
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

const root = join(import.meta.dirname, "../..");
const file = resolve(process.argv[2] ?? join(root, "dist/waypost"));
const isRoot = process.geteuid?.() === 0;
const nobody = 65534;

const home = mkdtempSync(join(tmpdir(), "waypost-smoke-"));
const program = join(home, "waypost");
const data = join(home, "data");
const settingsFile = join(home, "waypost.env");
chmodSync(home, 0o755);
copyFileSync(file, program);
chmodSync(program, 0o755);
mkdirSync(data);
if (isRoot) chownSync(data, nobody, nobody);
writeFileSync(settingsFile, `WAYPOST_DATA_DIR=${data}\nPORT=0\nWAYPOST_LOG_FORMAT=pretty\n`);

/** Makes everything except for the data directory read-only, then drops root. */
const sandboxed =
  'mount --make-rprivate / && mount --bind "$1" "$1" && mount -o remount,bind,ro / && shift && ' +
  `exec setpriv --reuid=${nobody} --regid=${nobody} --clear-groups --no-new-privs -- "$@"`;

const start = (...parameters: ReadonlyArray<string>): ChildProcess => {
  const line = ["env", "-i", program, ...parameters];
  const [command = "", ...rest] = isRoot
    ? ["unshare", "--mount", "sh", "-c", sandboxed, "sh", data, ...line]
    : line;
  return spawn(command, rest, { cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
};

const textOf = (child: ChildProcess): { out: string; error: string } => {
  const text = { out: "", error: "" };
  child.stdout?.on("data", (chunk: Buffer) => (text.out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (text.error += chunk.toString()));
  return text;
};

const expect = (isTrue: boolean, statement: string, detail = ""): void => {
  if (!isTrue) throw new Error(`This is false: ${statement}. ${detail}`);
  console.log(`  ${statement}`);
};

const command = async (...parameters: ReadonlyArray<string>): Promise<string> => {
  const child = start(...parameters);
  const text = textOf(child);
  const [code] = (await once(child, "close")) as [number | null];
  expect(code === 0, `waypost ${parameters.slice(0, 2).join(" ")}`, text.error);
  return text.out;
};

/** Waits until the server listens. Returns its address and the start time in milliseconds. */
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
    const data = await Promise.race([once(server.stdout ?? server, "data"), ended.then(() => undefined)]);
    if (data === undefined) throw new Error(`The server exited: ${text.error}`);
  }
};

const stop = async (server: ChildProcess): Promise<void> => {
  if (server.exitCode !== null) return;
  const ended = once(server, "close");
  server.kill("SIGTERM");
  const [code] = (await ended) as [number | null];
  expect(code === 0, "SIGTERM stops it with exit code 0", String(code));
};

const useServer = async (origin: string): Promise<void> => {
  const settings = ["--config", settingsFile];
  await command("workspace", "create", "--name", "Smoke", "--timezone", "Europe/Amsterdam", ...settings);
  const issued = await command("token", "issue", "-w", "Smoke", "-e", "sandbox", "--json", ...settings);
  const token = /"token":\s*"([^"]+)"/.exec(issued)?.[1] ?? "";
  const platform = `${origin}/sandbox/platform/v1`;
  const authorization = { Authorization: `Bearer ${token}` };

  const locations = readFileSync(join(root, "docs/examples/locations.geojson"), "utf8");
  const imported = await fetch(`${platform}/locations/import`, {
    method: "POST",
    headers: { ...authorization, "Content-Type": "application/geo+json" },
    body: locations,
  });
  expect(imported.status === 200, "locations are imported", await imported.text());

  const body = new FormData();
  const picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: "teal" } })
    .jpeg()
    .toBuffer();
  body.append("file", new File([new Uint8Array(picture)], "photo.jpg", { type: "image/jpeg" }));
  const uploaded = await fetch(`${platform}/media`, { method: "POST", headers: authorization, body });
  const answer = await uploaded.text();
  expect(uploaded.status === 201, "a picture is uploaded and inspected", answer);
  const thumbnail = /"thumbnail_url":\s*"([^"]+)"/.exec(answer)?.[1] ?? "";
  const small = await fetch(thumbnail);
  expect(
    small.status === 200 && small.headers.get("content-type") === "image/webp",
    "it has a thumbnail",
    `${thumbnail}: ${small.status} ${String(small.headers.get("content-type"))}`,
  );
  await command("report", "summary", "-w", "Smoke", "-e", "sandbox", ...settings);
  const docs = await fetch(`${origin}/docs`);
  expect(docs.status === 200, "the documentation is served", String(docs.status));
};

let server = start("serve", "--config", settingsFile);
try {
  console.log(
    isRoot
      ? "As nobody, read-only except for the data directory, without environment:"
      : "Without environment:",
  );
  const cold = await listening(server);
  console.log(`  first start: ${cold.millis} ms`);
  await useServer(cold.origin);
  await stop(server);
  server = start("serve", "--config", settingsFile);
  const warm = await listening(server);
  console.log(`  next start: ${warm.millis} ms`);
  // A restore is built beside its final path, so the parent folder must be writable.
  const backup = join(data, "smoke.tar.gz");
  await command("backup", backup, "--config", settingsFile);
  await stop(server);
  const restoredSettings = join(home, "restored.env");
  writeFileSync(restoredSettings, `WAYPOST_DATA_DIR=${data}/restored\nPORT=0\nWAYPOST_LOG_FORMAT=pretty\n`);
  await command("restore", backup, "--config", restoredSettings);
  server = start("serve", "--config", restoredSettings);
  await listening(server);
  const listed = await command("workspace", "list", "--config", restoredSettings);
  expect(listed.includes("Smoke"), "its backup is restored, keys included", listed);
  await stop(server);
  const texts = await command("licenses");
  expect(
    texts.includes("PostgreSQL") && texts.includes("libvips"),
    "it prints the licences of what it contains",
  );
} finally {
  server.kill("SIGTERM");
  if (server.exitCode === null && server.signalCode === null) await once(server, "close");
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
