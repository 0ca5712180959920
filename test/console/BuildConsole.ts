import { spawnSync } from "node:child_process";
import { join } from "node:path";

const run = (script: string, ...parameters: ReadonlyArray<string>): void => {
  const program = join(import.meta.dirname, "../../scripts", script);
  const { status } = spawnSync(process.execPath, [program, ...parameters], { stdio: "inherit" });
  if (status !== 0) throw new Error(`scripts/${script} could not build it.`);
};

/** Builds the console and the web SDK for the tests in the browser, from the sources as they are. */
export const setup = (): void => {
  run("console.ts", "--quick");
  run("sdk.ts");
};
