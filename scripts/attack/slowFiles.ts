/**
 * Reads the devices of two workspaces as CSV on four connections at 20 kB a second, and requests small files
 * of another workspace and the export of somebody with as many devices meanwhile (contract running.files,
 * Q3.9). DEVICES (50,000 if unset) devices a workspace. Prints what it expects and what it got. Exit code 1
 * if that differs.
 *
 *     node scripts/attack/slowFiles.ts http://127.0.0.1:8080 OPERATOR_KEY
 */
import { connect, type Socket } from "node:net";
import process from "node:process";
import { Expectations, newTenant, removeTenants, targetOf, type Tenant } from "./Target.ts";

const devices = Number(process.env["DEVICES"] ?? 50_000);
const bytesPerSecond = 20_000;
/** Milliseconds that a small file may take. */
const maxMillis = 1_000;

const target = targetOf(process.argv.slice(2));
const expectations = new Expectations();

const importDevices = async ({ operator }: Tenant, count: number, person: string): Promise<void> => {
  const rows = Array.from(
    { length: count },
    (_, index) => `device-${index},ios,${person},"{""text"":""${"x".repeat(200)}""}"`,
  );
  const response = await fetch(`${operator}/production/devices/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${target.operatorKey}`, "content-type": "text/csv" },
    body: `installation_id,platform,user_id,attributes\r\n${rows.join("\r\n")}\r\n`,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The import failed: ${text.slice(0, 200)}`);
};

/** A connection that reads a file slowly. It resolves when the response begins or ends. */
const slowReader = ({ platform, token }: Tenant): Promise<Socket> =>
  new Promise((resolve) => {
    const { hostname, pathname, port } = new URL(`${platform}/devices?format=csv`);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => undefined);
    socket.once("data", () => resolve(socket));
    socket.on("data", ({ length }) => {
      socket.pause();
      setTimeout(() => socket.resume(), (length / bytesPerSecond) * 1_000);
    });
    socket.write(
      `GET ${pathname}?format=csv HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
  });

/** A response as text, or why there is none, and how long it took. */
const read = async (url: string, token: string) => {
  const since = performance.now();
  try {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    return { status: response.status, text, millis: performance.now() - since };
  } catch (error) {
    return { status: 0, text: String(error), millis: performance.now() - since };
  }
};

interface Whole {
  readonly data: { readonly devices: ReadonlyArray<unknown> };
}

const tenants: Array<Tenant> = [];
for (let count = 0; count < 3; count++)
  tenants.push(await newTenant(target, ["devices:read", "reports:read"]));
const [first, second, third] = tenants;
if (first === undefined || second === undefined || third === undefined) throw new Error("No workspaces");
await importDevices(first, devices, "guest");
await importDevices(second, devices, "guest");
await importDevices(third, 1, "p1");

const whole = await read(`${first.operator}/production/people/guest`, target.operatorKey);
const isWhole = whole.status === 200 && whole.text.endsWith("]}}");
expectations.expect(
  `the export of a person with ${devices} devices is whole`,
  `status ${whole.status}, ${whole.text.length} characters in ${whole.millis.toFixed(0)} ms`,
  isWhole && (JSON.parse(whole.text) as Whole).data.devices.length === devices,
);

const readers = [
  await slowReader(first),
  await slowReader(first),
  await slowReader(second),
  await slowReader(second),
];
for (const [what, url, token] of [
  ["a report of one line", `${third.platform}/reports/summary?format=csv`, third.token],
  ["a list of one line", `${third.platform}/devices?format=csv`, third.token],
  ["the export of a person", `${third.operator}/production/people/p1`, target.operatorKey],
] as const) {
  const { millis, status } = await read(url, token);
  expectations.expect(
    `beside four slow readers, ${what} takes at most ${maxMillis} ms`,
    `status ${status} in ${millis.toFixed(0)} ms`,
    status === 200 && millis <= maxMillis,
  );
}
for (const reader of readers) reader.destroy();
await removeTenants(target, tenants);
expectations.end();
