/** The program as one CommonJS text, as an executable of Node wants it. */
import { build, type Plugin } from "esbuild";
import { join } from "node:path";

const here = import.meta.dirname;

/** sharp's search for its native half, which would look into node_modules. */
const bundledSharp: Plugin = {
  name: "carried-sharp",
  setup(plugins) {
    plugins.onResolve({ filter: /^\.\/sharp\.[cm]js$/ }, ({ importer }) =>
      /[\\/]sharp[\\/]dist[\\/]/.test(importer) ? { path: join(here, "sharpNative.ts") } : undefined,
    );
  },
};

/** What was bundled. */
export interface Bundle {
  readonly text: string;
  /** The files in it, as paths from the root of the repository. */
  readonly inputs: ReadonlyArray<string>;
}

/** Bundles the program; the same sources give the same text. */
export const bundle = async (root: string): Promise<Bundle> => {
  const result = await build({
    absWorkingDir: root,
    entryPoints: ["scripts/build/entry.js"],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    // Names stay, since Effect and the logs show them.
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    legalComments: "none",
    define: { "import.meta.url": "executableUrl" },
    banner: { js: `const executableUrl = require("node:url").pathToFileURL(process.execPath).href;` },
    plugins: [bundledSharp],
    logLevel: "warning",
  });
  const [file] = result.outputFiles;
  if (file === undefined) throw new Error("esbuild wrote nothing");
  return { text: file.text, inputs: Object.keys(result.metafile.inputs).toSorted() };
};
