/**
 * Replaces the module with which sharp finds its native library. In the executable, the library is in the
 * runtime folder, which the main process passes to the media worker. libvips is next to it, as sharp expects.
 */
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";

const folder = join(process.argv[3] ?? "", "sharp", `sharp-linux-${process.arch}`, "lib");
const file = readdirSync(folder).find((name) => name.endsWith(".node")) ?? "";

/** The exports of sharp.node. */
// oxlint-disable-next-line import/no-default-export -- sharp imports the default export
export default createRequire(process.execPath)(join(folder, file)) as unknown;
