/** Builds the executable: the program, its assets and Node, in one file. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { constants, zstdCompressSync } from "node:zlib";
import { inject } from "postject";
import { checkedOutCommit, commitAsset } from "../../src/cli/Version.ts";
import { archiveAssets } from "../../src/database/embedded/BundledRuntime.ts";
import { threadAsset } from "../../src/workers/ProgramThread.ts";
import { bundle, bundleThreads, scalarAsset, scalarText } from "./bundle.ts";
import { buildConsole, packedFiles } from "./consoleFiles.ts";
import { buildSdk, packedSdk } from "./sdkFiles.ts";
import { withoutLanguages } from "./icuData.ts";
import { licenses, packagesOf } from "./licenses.ts";
import { recordInitdb } from "./initdbRecording.ts";
import { type Arch, type Packages, packagesFor } from "./packages.ts";
import { type Archive, packRuntime } from "./runtimeArchive.ts";
import { initdbAsset } from "./withoutShell.ts";

/** Options of a build. */
export interface Plan {
  /** Root of the repository. */
  readonly root: string;
  readonly arch: Arch;
  /** The file to write. */
  readonly out: string;
  /** For tests: the file is larger, and the build takes a third of the time. False if left out. */
  readonly isQuick?: boolean;
}

/** The result: sizes in bytes, and what is inside. */
export interface Built {
  readonly size: number;
  readonly archive: number;
  readonly program: number;
  readonly packages: Packages;
  /** The folders of bundled npm packages. */
  readonly bundled: ReadonlyArray<string>;
  readonly runtime: Archive;
  readonly licenses: string;
}

const run = (program: string, parameters: ReadonlyArray<string>, cwd = "."): boolean =>
  spawnSync(program, parameters, { cwd, stdio: ["ignore", "ignore", "inherit"] }).status === 0;

/** Options with which V8 compiles the same code every time. They do not change what can use the code. */
const sameCode = ["--random-seed=1"];

const stripFor = (arch: Arch): string => {
  if (arch === process.arch) return "strip";
  return arch === "arm64" ? "aarch64-linux-gnu-strip" : "x86_64-linux-gnu-strip";
};

/**
 * Builds the file under another name and renames it, so that an interrupted build keeps the previous file.
 */
export const buildExecutable = async ({ arch, isQuick = false, out, root }: Plan): Promise<Built> => {
  const isForThisMachine = arch === process.arch;
  mkdirSync(dirname(out), { recursive: true });
  const work = mkdtempSync(join(dirname(out), ".build-"));
  try {
    const packages = packagesFor(root, arch);
    const { inputs, text } = await bundle(root);
    const runtime = packRuntime(packages, arch, isQuick);
    const bundled: Record<string, string> = {};
    const addAsset = (name: string, content: string | Uint8Array): void => {
      const file = join(work, String(Object.keys(bundled).length));
      writeFileSync(file, content);
      bundled[name] = file;
    };
    for (const path of globSync("schema/*.sql", { cwd: root }).toSorted()) bundled[path] = join(root, path);
    bundled["docs/examples/locations.geojson"] = join(root, "docs/examples/locations.geojson");
    const threads = await bundleThreads(root);
    for (const thread of threads) addAsset(threadAsset(thread.name), thread.text);
    const builtConsole = await buildConsole(root);
    for (const [name, bytes] of packedFiles(builtConsole, isQuick)) addAsset(`console/${name}`, bytes);
    for (const [name, bytes] of packedSdk(await buildSdk(root))) addAsset(`sdk/${name}`, bytes);
    const allInputs = [...inputs, ...threads.flatMap((thread) => thread.inputs), ...builtConsole.inputs];
    addAsset(commitAsset, checkedOutCommit(root));
    const texts = licenses(root, allInputs, packages);
    addAsset("licenses.txt", texts);
    // The statements are those of every architecture, and only this machine's initdb runs here.
    const recording = JSON.stringify(recordInitdb(packagesFor(root, process.arch as Arch).postgres));
    addAsset(initdbAsset, zstdCompressSync(recording));
    const compressionLevel = { [constants.ZSTD_c_compressionLevel]: isQuick ? 3 : 19 };
    addAsset(scalarAsset, zstdCompressSync(await scalarText(root), { params: compressionLevel }));
    addAsset(archiveAssets.index, JSON.stringify(runtime.index));
    addAsset(archiveAssets.bytes, runtime.compressed);

    // The path becomes a part of the file, so it is relative.
    const main = "waypost.cjs";
    writeFileSync(join(work, main), text);
    const nodeOptions = ["--max-semi-space-size=16", "--no-allocation-site-pretenuring"];
    const config = {
      main,
      // As bin/waypost.js.
      execArgv: nodeOptions,
      output: join(work, "blob"),
      disableExperimentalSEAWarning: true,
      // Only the Node that compiled the code can use it.
      useCodeCache: isForThisMachine,
      assets: bundled,
    };
    writeFileSync(join(work, "sea.json"), JSON.stringify(config));
    const node = join(packages.node, "bin/node");
    // The bundled Node compiles with the same options, so that it can use the compiled code.
    const compiler = isForThisMachine ? node : process.execPath;
    if (!run(compiler, [...nodeOptions, ...sameCode, "--experimental-sea-config", "sea.json"], work))
      throw new Error("Node could not build the executable.");

    const file = join(work, "waypost");
    copyFileSync(node, file);
    const strip = stripFor(arch);
    if (!isQuick && !run(strip, [file]))
      console.log(`${strip} is missing, so the file keeps the symbols of Node: 18 MB more.`);
    await inject(file, "NODE_SEA_BLOB", readFileSync(config.output), {
      sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
    });
    const whole = withoutLanguages(readFileSync(file));
    writeFileSync(file, whole);
    const size = whole.length;
    renameSync(file, out);
    return {
      size,
      archive: runtime.compressed.length,
      program: text.length,
      packages,
      bundled: packagesOf(allInputs),
      runtime,
      licenses: texts,
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};
