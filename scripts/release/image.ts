/** The image of the Open Container Initiative: a tar archive of an image layout with two layers. */
import { createHash } from "node:crypto";
import type { Release } from "./Release.ts";
import { gzipped, plainFile, type RootFile, tarOf, withFolders } from "./tarball.ts";

/** The account of the image, and its number. PostgreSQL looks up the name. */
const user = 65_532;

const accounts = [
  "root:x:0:0:root:/root:/sbin/nologin",
  `waypost:x:${user}:${user}:Waypost:/data:/sbin/nologin`,
  "nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin",
];

/** The files that neither a package nor the build has: accounts, folders of the system and of data. */
const systemFiles: ReadonlyArray<RootFile> = [
  plainFile("etc/passwd", `${accounts.join("\n")}\n`),
  plainFile("etc/group", `root:x:0:\nwaypost:x:${user}:\nnogroup:x:65534:\n`),
  plainFile("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
  ...["dev", "proc", "sys", "run"].map((path): RootFile => ({
    path,
    mode: 0o755,
    content: "folder",
    part: "waypost",
  })),
  { path: "tmp", mode: 0o1777, content: "folder", part: "waypost" },
  { path: "data", mode: 0o700, content: "folder", part: "waypost", uid: user },
];

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

const jsonOf = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/** The files of the image's root that are not in Debian's packages. */
export const imageFiles = (
  executable: Uint8Array,
  notices: ReadonlyArray<RootFile>,
): ReadonlyArray<RootFile> => [
  ...systemFiles,
  ...notices,
  plainFile("usr/local/bin/waypost", executable, "waypost", 0o755),
];

/** The layers become the image. The first changes only with Debian's packages. */
export const imageOf = async (
  { commit, isQuick, time, version }: Release,
  layers: ReadonlyArray<ReadonlyArray<RootFile>>,
): Promise<Uint8Array> => {
  const tars = await Promise.all(layers.map((files) => tarOf(withFolders(files), time)));
  const compressed = tars.map((tar) => gzipped(tar, isQuick));
  const labels = {
    "org.opencontainers.image.title": "Waypost",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.revision": commit,
    "org.opencontainers.image.licenses": "Apache-2.0",
  };
  const created = time.toISOString();
  const config = jsonOf({
    created,
    architecture: "amd64",
    os: "linux",
    config: {
      User: `${user}:${user}`,
      ExposedPorts: { "8080/tcp": {} },
      Env: [
        "PATH=/usr/local/bin",
        "WAYPOST_DATA_DIR=/data",
        "WAYPOST_HOST=0.0.0.0",
        "WAYPOST_LOG_FORMAT=json",
      ],
      Entrypoint: ["/usr/local/bin/waypost"],
      Cmd: ["serve"],
      Volumes: { "/data": {} },
      WorkingDir: "/data",
      StopSignal: "SIGTERM",
      Labels: labels,
      // Docker and Podman read it. Kubernetes has probes of its own.
      Healthcheck: {
        Test: ["CMD", "/usr/local/bin/waypost", "health-check"],
        Interval: 30e9,
        Timeout: 6e9,
        StartPeriod: 60e9,
        Retries: 3,
      },
    },
    rootfs: { type: "layers", diff_ids: tars.map(digestOf) },
    history: ["packages of Debian", `Waypost ${version}`].map((comment) => ({ created, comment })),
  });
  const described = (
    mediaType: string,
    bytes: Uint8Array,
    annotations?: Readonly<Record<string, string>>,
  ) => ({
    mediaType: `application/vnd.oci.image.${mediaType}`,
    digest: digestOf(bytes),
    size: bytes.length,
    annotations,
  });
  const manifest = jsonOf({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: described("config.v1+json", config),
    layers: compressed.map((bytes) => described("layer.v1.tar+gzip", bytes)),
    annotations: labels,
  });
  const index = jsonOf({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [
      {
        ...described("manifest.v1+json", manifest, { "org.opencontainers.image.ref.name": version }),
        platform: { architecture: "amd64", os: "linux" },
      },
    ],
  });
  const blobs = [...compressed, config, manifest].map((bytes) =>
    plainFile(`blobs/sha256/${digestOf(bytes).slice("sha256:".length)}`, bytes),
  );
  const layout = plainFile("oci-layout", jsonOf({ imageLayoutVersion: "1.0.0" }));
  return tarOf(withFolders([layout, plainFile("index.json", index), ...blobs]), time);
};
