import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Builds the console for the tests in the browser, from the sources as they are. */
export const setup = (): void => {
  const program = join(import.meta.dirname, "../../scripts/console.ts");
  const { status } = spawnSync(process.execPath, [program, "--quick"], { stdio: "inherit" });
  if (status !== 0) throw new Error("The console could not be built.");
};
