import { assert, describe, it } from "@effect/vitest";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildSdk } from "../../scripts/build/sdkFiles.ts";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

const program = `
import { start, type Message } from "waypost/web";
import "waypost/web/inbox";
const waypost = await start({ url: "https://push.example.com", sdkKey: "wpk_key" });
const inbox = document.querySelector("waypost-inbox");
if (inbox !== null) inbox.waypost = waypost;
export const result: "subscribed" | "denied" | "unsupported" = await waypost.subscribe();
export const messages: ReadonlyArray<Message> = await waypost.messages();
waypost.on("dropped", ({ entry, reasons }) => console.log(entry.type, reasons.length));
waypost.watchPosition({ accuracy: "high" }).stop();
// @ts-expect-error an address is needed
void start({ sdkKey: "wpk_key" });
// @ts-expect-error there is no such event
waypost.on("opened", () => {});
`;

describe("waypost/web as a package", () => {
  it("has the served scripts, and types that need nothing but those of a browser (BW2)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "waypost-web-"));
    try {
      const installed = join(folder, "node_modules/waypost");
      mkdirSync(installed, { recursive: true });
      await run(process.execPath, ["scripts/client.ts", "--out", installed], { cwd: root });
      for (const { bytes, name } of await buildSdk(root))
        assert.deepStrictEqual(readFileSync(join(installed, "web", name)), Buffer.from(bytes));
      writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
      writeFileSync(join(folder, "program.ts"), program);
      const options =
        "--noEmit --strict --module nodenext --target es2022 --lib es2022,dom --skipLibCheck false";
      const checked = run(
        join(root, "node_modules/.bin/tsc"),
        [...options.split(" "), "--types", "", "program.ts"],
        { cwd: folder },
      );
      assert.strictEqual(
        (await checked.catch((error: unknown) => error as { readonly stdout: string })).stdout,
        "",
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
