/**
 * The baseline of the bench of hostile imports: a server that reads a body whole, parses it with `JSON.parse`
 * and checks the features in slices of 10 ms, on its event loop.
 */
import { createServer } from "node:http";
import process from "node:process";
import { importedLocation } from "../../src/locations/ImportedLocation.ts";

const maxFeatures = 10_000;
const sliceMillis = 10;

const statusOf = async (bytes: Buffer): Promise<number> => {
  const { features } = JSON.parse(bytes.toString()) as { readonly features: ReadonlyArray<unknown> };
  if (features.length > maxFeatures) return 422;
  let since = performance.now();
  for (const feature of features) {
    importedLocation(feature);
    if (performance.now() - since < sliceMillis) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
  return 200;
};

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const bytes = Buffer.concat(chunks);
    const status = bytes.length === 0 ? Promise.resolve(200) : statusOf(bytes);
    void status.then((code) => response.writeHead(code).end());
  });
});
// Its loop is blocked for longer than connections would be kept.
server.keepAliveTimeout = 120_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object")
    console.log(`Baseline is listening on http://127.0.0.1:${address.port}`);
});
process.on("SIGTERM", () => process.exit(0));
