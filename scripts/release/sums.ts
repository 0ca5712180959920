/** The sums of all files of a release, and their signature. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const name = "SHA256SUMS";

/** Writes `SHA256SUMS`, and `SHA256SUMS.sig` if a private SSH key is named. */
export const writeSums = (folder: string, key: string | undefined): void => {
  const lines = readdirSync(folder)
    .filter((each) => !each.startsWith(name))
    .toSorted()
    .map(
      (each) =>
        `${createHash("sha256")
          .update(readFileSync(join(folder, each)))
          .digest("hex")}  ${each}\n`,
    );
  writeFileSync(join(folder, name), lines.join(""));
  rmSync(join(folder, `${name}.sig`), { force: true });
  if (key !== undefined && key !== "")
    execFileSync("ssh-keygen", ["-Y", "sign", "-f", key, "-n", "file", join(folder, name)], {
      stdio: "inherit",
    });
};
