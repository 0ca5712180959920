/**
 * Tries what a stolen cookie, an old one-time address and another token can still do (contract console.code,
 * console.sessions, console.back, Y29). Prints what it expects and what it got. Exit code 1 if that differs.
 * Only for a server on this machine. It ends its own sessions and no others, and schedules the deletion of
 * the workspace that it makes.
 *
 *     node scripts/attack/sessions.ts http://127.0.0.1:8080 OPERATOR_KEY [FILE]
 *
 * With FILE it keeps a session and the code of an unused address there. Replace the operator key, restart the
 * server, and run it again with the new key and the same FILE: then it tries what was kept, and removes FILE.
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { setTimeout } from "node:timers/promises";

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);
const [address = "", operatorKey = "", file] = process.argv.slice(2);
const url = URL.parse(address);
if (url === null || !/^https?:$/.test(url.protocol) || !loopback.has(url.hostname) || operatorKey === "")
  throw new Error(
    "Give the address of a server on this machine, such as http://127.0.0.1:8080, and its key.",
  );
const { origin } = url;

/** The fields of resources that the trial reads. */
interface Resource {
  readonly id: string;
  readonly token: string;
  readonly url: string;
  readonly secret: string | null;
  readonly address: string | null;
  readonly is_current: boolean;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The resource of the response; null for a refusal, and for null. */
  readonly data: Resource | null;
  readonly list: ReadonlyArray<Resource>;
  /** The code of a refusal. */
  readonly code: string | undefined;
}
type Send = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Reply>;

const isList = (data: Resource | ReadonlyArray<Resource> | null): data is ReadonlyArray<Resource> =>
  Array.isArray(data);

const sender =
  (own: Record<string, string>): Send =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(origin + path, {
      method,
      redirect: "error",
      headers: { ...own, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = (text.startsWith("{") ? JSON.parse(text) : {}) as {
      readonly data?: Resource | ReadonlyArray<Resource>;
      readonly error?: { readonly code: string };
    };
    const { data = null, error } = json;
    return {
      status: response.status,
      headers: response.headers,
      data: isList(data) ? null : data,
      list: isList(data) ? data : [],
      code: error?.code,
    };
  };
const bearer = (key: string): Send => sender({ authorization: `Bearer ${key}` });
/** A browser on a page of the server, with one cookie. */
const browser = (cookie: string): Send =>
  sender({ "sec-fetch-site": "same-origin", ...(cookie === "" ? {} : { cookie }) });

let missed = 0;
/** Prints whether something is as expected. */
const expect = (what: string, expected: unknown, got: unknown): void => {
  const isMet = JSON.stringify(expected) === JSON.stringify(got);
  if (!isMet) missed++;
  const shown = isMet ? String(got) : `expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
  console.log(`${isMet ? "ok    " : "MISSED"}  ${what}: ${shown}`);
};
const outcome = ({ code, status }: Reply): string => (code === undefined ? `${status}` : `${status} ${code}`);
/** The resource of a request that the trial needs. */
const made = (reply: Reply): Resource => {
  if (reply.data === null) throw new Error(`A preparation was refused: ${outcome(reply)}`);
  return reply.data;
};

const operator = bearer(operatorKey);
const addresses = "/operator/v1/console/addresses";
const sessions = "/operator/v1/console/sessions";

const signIn = async (credential: object): Promise<{ readonly reply: Reply; readonly cookie: string }> => {
  const reply = await browser("")("POST", "/console/session", { ...credential, name: "Trial" });
  return { reply, cookie: reply.headers.get("set-cookie")?.split(";", 1)[0] ?? "" };
};
const newCode = async (): Promise<string> =>
  new URL(made(await operator("POST", addresses)).url).hash.slice(1);

const check = await operator("GET", `${sessions}?limit=1`);
if (check.status !== 200) throw new Error(`The server does not take this operator key: ${outcome(check)}`);

interface Kept {
  /** The SHA-256 of the operator key. */
  readonly keyDigest: string;
  readonly code: string;
  readonly cookie: string;
}

const tryReplacedKey = async ({ code, cookie }: Kept): Promise<void> => {
  const { cookie: opened, reply } = await signIn({ code });
  expect("an address of the replaced key", "401 invalid_token", outcome(reply));
  expect("its cookie", "", opened);
  expect(
    "a session of the replaced key",
    "401 unauthenticated",
    outcome(await browser(cookie)("GET", sessions)),
  );
  expect("who is signed in with it", null, (await browser(cookie)("GET", "/console/session")).data);
};

const tryCookies = async (): Promise<void> => {
  const code = await newCode();
  const { cookie, reply } = await signIn({ code });
  expect("a one-time address", 201, reply.status);
  expect("the same address again", "401 invalid_token", outcome((await signIn({ code })).reply));
  if (url.protocol === "http:")
    expect("the cookie's name", `waypost_session_${url.port || "80"}`, cookie.split("=")[0]);
  const stolen = browser(cookie);
  for (const headers of [{}, { "waypost-workspace": randomUUID() }, { "x-forwarded-for": "127.0.0.1" }])
    expect(
      "a session issues an address",
      "403 missing_ability",
      outcome(await stolen("POST", addresses, {}, headers)),
    );
  const list = (await stolen("GET", `${sessions}?limit=100`)).list;
  const own = list.find((each) => each.is_current);
  expect("the session is listed as the current one", reply.data?.id, own?.id);
  expect("its address is that of this machine", true, /^(?:127\.|::1$)/.test(own?.address ?? ""));
  const other = await signIn({ access_key: operatorKey });
  const ended = await browser(other.cookie)("DELETE", `${sessions}/${own?.id}`);
  expect("another session ends it", 200, ended.status);
  expect("the ended session", "401 unauthenticated", outcome(await stolen("GET", sessions)));
  const out = await browser(other.cookie)("DELETE", "/console/session");
  expect("signing out clears what the browser keeps", '"cache"', out.headers.get("clear-site-data"));
  expect(
    "a copy of the cookie",
    "401 unauthenticated",
    outcome(await browser(other.cookie)("GET", sessions)),
  );
  const page = await browser("")("GET", "/console/campaigns");
  expect("pages are not stored", "no-store", page.headers.get("cache-control"));
};

const keyDigest = createHash("sha256").update(operatorKey).digest("hex");
/** The longest that another process may take to notice a revocation, in milliseconds. */
const noticedMillis = 6_000;

const trySecrets = async (): Promise<void> => {
  const draft = { name: `Trial of sessions ${randomUUID()}` };
  const { id } = made(await operator("POST", "/operator/v1/workspaces", draft));
  const tokens = `/operator/v1/workspaces/${id}/tokens`;
  const abilities = ["webhooks:read", "webhooks:write"];
  const issue = async (name: string) =>
    made(await operator("POST", tokens, { name, environment: "sandbox", abilities }));
  const [author, another] = [await issue("author"), await issue("another")];
  const hooks = "/sandbox/platform/v1/webhooks";
  const key = { "idempotency-key": randomUUID() };
  // Nothing happens in the workspace, so neither address is called. The first is for servers that allow it.
  let created: Reply | undefined;
  let body = {};
  for (const to of ["http://127.0.0.1:1/", "https://example.com/waypost-trial"]) {
    body = { url: to, events: ["message.failed"] };
    if (created?.status !== 201) created = await bearer(author.token)("POST", hooks, body, key);
  }
  if (created?.status === 201) {
    const { id: webhook, secret } = made(created);
    const repeat = (send: Send, more = {}) => send("POST", hooks, body, { ...key, ...more });
    const inWorkspace = { "waypost-workspace": id };
    expect("the author repeats", true, (await repeat(bearer(author.token))).data?.secret === secret);
    expect("another token repeats", null, (await repeat(bearer(another.token))).data?.secret);
    expect("the operator repeats", null, (await repeat(operator, inWorkspace)).data?.secret);
    const ofToken = await signIn({ access_key: author.token });
    expect("a session of the author repeats", null, (await repeat(browser(ofToken.cookie))).data?.secret);
    const replaced = `${hooks}/${webhook}/secret`;
    const again = { "idempotency-key": randomUUID() };
    const replacement = await bearer(another.token)("POST", replaced, undefined, again);
    const seen = await bearer(author.token)("POST", replaced, undefined, again);
    expect("a replaced secret is another one", true, made(replacement).secret !== secret);
    expect("another token repeats the replacement", null, seen.data?.secret);
    await operator("DELETE", `${tokens}/${author.id}`);
    await setTimeout(noticedMillis);
    expect("the author, revoked, repeats", "token_revoked", (await repeat(bearer(author.token))).code);
    const late = await browser(ofToken.cookie)("POST", hooks, body, key);
    expect("its session repeats", "401 token_revoked", outcome(late));
  } else console.log(`skip    secrets: the server takes no webhook here (${created && outcome(created)})`);
  await operator("PATCH", `/operator/v1/workspaces/${id}`, { deletion_scheduled: true });
};

if (file !== undefined && existsSync(file)) {
  const kept = JSON.parse(readFileSync(file, "utf8")) as Kept;
  if (kept.keyDigest === keyDigest)
    throw new Error("The operator key is the one of the first run: replace it first.");
  await tryReplacedKey(kept);
  rmSync(file);
} else {
  await tryCookies();
  await trySecrets();
  if (file !== undefined) {
    const { cookie } = await signIn({ access_key: operatorKey });
    writeFileSync(file, JSON.stringify({ keyDigest, code: await newCode(), cookie }), {
      mode: 0o600,
      flag: "wx",
    });
    console.log(`\nNow replace the operator key, restart the server, and run this again within 15 minutes.`);
  }
}
console.log(missed === 0 ? "\nAs expected." : `\n${missed} missed.`);
process.exitCode = missed === 0 ? 0 : 1;
