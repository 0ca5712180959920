/**
 * Streams rows of devices to a server, from a process of its own: `node DeviceClient.ts <address> <key>
 * <rows> <format>`. Prints the response's summary as JSON.
 */
import { request } from "node:http";
import process from "node:process";
import { pipeline } from "node:stream/promises";

const [address = "", key = "", count = "0", format = "csv"] = process.argv.slice(2);
const batch = 500;

const csvRow = (n: number): string =>
  `device-${n},android,fcm,"{""token"":""registration-token-${n}""}",` +
  `"{""plan"":""gold"",""visits"":${n % 90}}",nl-NL,Europe/Amsterdam,user-${n % 700_000}\r\n`;

const jsonRow = (n: number): string =>
  `${JSON.stringify({
    installation_id: `device-${n}`,
    platform: "android",
    transport: "fcm",
    address: { token: `registration-token-${n}` },
    attributes: { plan: "gold", visits: n % 90 },
    locale: "nl-NL",
    timezone: "Europe/Amsterdam",
    user_id: `user-${n % 700_000}`,
  })}\n`;

async function* rows() {
  const head = "installation_id,platform,transport,address,attributes,locale,timezone,user_id\r\n";
  if (format === "csv") yield head;
  for (let from = 0; from < Number(count); from += batch) {
    let text = "";
    for (let n = from; n < Math.min(Number(count), from + batch); n++) {
      text += format === "csv" ? csvRow(n) : jsonRow(n);
    }
    yield text;
  }
}

const sent = request(address, {
  method: "POST",
  headers: {
    authorization: `Bearer ${key}`,
    "content-type": format === "csv" ? "text/csv" : "application/x-ndjson",
  },
});
const answered = new Promise<string>((resolve, reject) => {
  sent.on("error", reject);
  sent.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    response.on("end", () => resolve(text));
  });
});
// An error closes the connection before all rows are sent; the response says why.
await pipeline(rows, sent).catch(() => undefined);
const answer = await answered;
const { data } = JSON.parse(answer) as { data?: { summary: object } };
if (data === undefined) throw new Error(answer);
console.log(JSON.stringify({ summary: data.summary }));
