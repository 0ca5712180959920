/** Bundles the program into one CommonJS text, which a single executable application of Node needs. */
import { build, type Plugin } from "esbuild";
import { join } from "node:path";

const here = import.meta.dirname;

/** Replaces the module with which sharp finds its native library in node_modules. */
const bundledSharp: Plugin = {
  name: "bundled-sharp",
  setup(plugins) {
    plugins.onResolve({ filter: /^\.\/sharp\.[cm]js$/ }, ({ importer }) =>
      /[\\/]sharp[\\/]dist[\\/]/.test(importer) ? { path: join(here, "sharpNative.ts") } : undefined,
    );
  },
};

/** The asset with the program of the page at `/docs`, compressed: a third of all text, and rarely read. */
export const scalarAsset = "scalar.zst";

const scalarModule = "effect/dist/http-api/internal/httpApiScalar.js";

/** The text of that asset, which Effect has as a module of its own. */
export const scalarText = async (root: string): Promise<string> =>
  ((await import(join(root, "node_modules", scalarModule))) as { readonly javascript: string }).javascript;

/** Reads that program from its asset, when it is imported. */
const assetOfScalar: Plugin = {
  name: "asset-of-scalar",
  setup(plugins) {
    plugins.onLoad({ filter: /[\\/]httpApiScalar\.js$/ }, () => ({
      contents: `import { getRawAsset } from "node:sea";
        import { zstdDecompressSync } from "node:zlib";
        export const javascript =
          zstdDecompressSync(new Uint8Array(getRawAsset("${scalarAsset}"))).toString();`,
    }));
  },
};

/** The bundled program. */
export interface Bundle {
  readonly text: string;
  /** Bundled files, as paths from the root of the repository. */
  readonly inputs: ReadonlyArray<string>;
}

/** Bundles a file. The same sources give the same text. */
const bundleFile = async (root: string, entryPoint: string): Promise<Bundle> => {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    // Effect and the logs show names of functions and classes.
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    legalComments: "none",
    define: { "import.meta.url": "executableUrl" },
    banner: { js: `const executableUrl = require("node:url").pathToFileURL(process.execPath).href;` },
    plugins: [bundledSharp, assetOfScalar],
    // Those files are read in a source tree only.
    logOverride: { "empty-import-meta": "silent" },
    logLevel: "warning",
  });
  const [file] = result.outputFiles;
  if (file === undefined) throw new Error("esbuild wrote nothing");
  return { text: file.text, inputs: Object.keys(result.metafile.inputs).toSorted() };
};

/** Bundles the program. */
export const bundle = (root: string): Promise<Bundle> => bundleFile(root, "scripts/build/entry.js");

/** The files that threads run, by the name of the thread. */
const threadFiles = {
  import: "src/locations/import/ImportWorker.ts",
  encryption: "src/sending/push/transports/EncryptionWorker.ts",
} as const;

/** Bundles the programs of threads, which are assets: a thread cannot run the executable's own program. */
export const bundleThreads = (root: string): Promise<ReadonlyArray<Bundle & { readonly name: string }>> =>
  Promise.all(
    Object.entries(threadFiles).map(async ([name, file]) => ({ name, ...(await bundleFile(root, file)) })),
  );
