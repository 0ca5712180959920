/**
 * Stands in for the module of sharp that finds its native half. In the executable that lies in the runtime
 * folder, which the main process names when it starts this child; libvips lies where the native half looks
 * for it, beside it.
 */
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";

const folder = join(process.argv[3] ?? "", "sharp", `sharp-linux-${process.arch}`, "lib");
const file = readdirSync(folder).find((name) => name.endsWith(".node")) ?? "";

/** What sharp.node exports. */
// oxlint-disable-next-line import/no-default-export -- it is what sharp imports
export default createRequire(process.execPath)(join(folder, file)) as unknown;
