/** The package for Debian and Ubuntu. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Release } from "./Release.ts";
import { plainFile, type RootFile, withFolders } from "./tarball.ts";

/** The files of the package. The unit is that of `packaging/systemd`, with the packaged program. */
export const debFiles = (
  { root }: Release,
  executable: Uint8Array,
  notices: ReadonlyArray<RootFile>,
): ReadonlyArray<RootFile> => {
  const text = (path: string): string => readFileSync(join(root, "packaging", path), "utf8");
  const unit = text("systemd/waypost.service").replace("/usr/local/bin/waypost", "/usr/bin/waypost");
  return [
    plainFile("usr/bin/waypost", executable, "waypost", 0o755),
    plainFile("lib/systemd/system/waypost.service", unit),
    // It may hold keys.
    plainFile("etc/waypost/waypost.env", text("debian/waypost.env"), "waypost", 0o600),
    ...notices,
    plainFile("usr/share/doc/waypost/operating.md", readFileSync(join(root, "docs/operating.md"))),
  ];
};

const controlOf = ({ version }: Release, bytes: number): string => `Package: waypost
Version: ${version.replace("-", "~")}
Architecture: amd64
Maintainer: Waypost <root@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: adduser, init-system-helpers (>= 1.54), libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 8)
Recommends: ca-certificates, tzdata
Section: net
Priority: optional
Description: self-hosted campaign messaging
 Waypost sends campaign messages when devices enter or leave locations, or at
 fixed times, delivers each once, and reports exact figures. It brings its own
 PostgreSQL, or uses one that is there.
`;

/** Builds the package into a file by way of an empty folder. */
export const buildDeb = (
  release: Release,
  files: ReadonlyArray<RootFile>,
  folder: string,
  out: string,
): void => {
  rmSync(folder, { recursive: true, force: true });
  const write = (path: string, content: string | Uint8Array, mode: number): void => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, mode);
  };
  const sums: Array<string> = [];
  let bytes = 0;
  for (const { content, mode, path } of files) {
    if (!(content instanceof Uint8Array)) continue;
    write(path, content, mode);
    bytes += content.length;
    if (!path.startsWith("etc/")) sums.push(`${createHash("md5").update(content).digest("hex")}  ${path}\n`);
  }
  for (const script of globSync(join(release.root, "packaging/debian/*.sh")))
    write(`DEBIAN/${basename(script, ".sh")}`, readFileSync(script), 0o755);
  write("DEBIAN/control", controlOf(release, bytes), 0o644);
  write("DEBIAN/conffiles", "/etc/waypost/waypost.env\n", 0o644);
  write("DEBIAN/md5sums", sums.toSorted().join(""), 0o644);
  // Whatever the umask is.
  for (const { content, path } of withFolders(files))
    if (content === "folder") chmodSync(join(folder, path), 0o755);
  for (const each of [folder, join(folder, "DEBIAN")]) chmodSync(each, 0o755);
  // Several threads would write other bytes on a machine with other cores.
  const compression = release.isQuick ? ["-Zgzip", "-z1"] : ["-Zxz", "--threads-max=1"];
  execFileSync("dpkg-deb", ["--root-owner-group", ...compression, "--build", folder, out], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(release.time.getTime() / 1000) },
    stdio: ["ignore", "ignore", "inherit"],
  });
};
