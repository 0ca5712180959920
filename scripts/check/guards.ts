/** Rules of tests, of dependencies and of the lockfile. */
import { type Finding, matchingLines, type SourceFile } from "./finding.ts";

const sleeps = [
  /(?<!(?<!global|globalThis)\.)\b(setTimeout|setInterval)\(/,
  /\bEffect\.sleep\(/,
  /["'](node:)?timers(\/promises)?["']/,
];

/** Tests do not sleep: they adjust TestClock, await a condition, or poll a process by a bounded schedule. */
export const noSleeps = (file: SourceFile): ReadonlyArray<Finding> =>
  matchingLines(
    file,
    new RegExp(sleeps.map(({ source }) => source).join("|")),
    "Tests do not sleep: adjust TestClock, await a condition, or retry by a bounded Schedule.",
  );

const skips = [
  /\b(it|test|describe|suite|layer|effect|live|scoped|prop|bench)\.(skip|only|todo|fails)\b/,
  /\b(xit|xdescribe|fit|fdescribe)\(/,
  /\b(ctx|context|task)\.skip\(/,
];

/** Every test runs. */
export const noSkips = (file: SourceFile): ReadonlyArray<Finding> =>
  matchingLines(
    file,
    new RegExp(skips.map(({ source }) => source).join("|")),
    "Tests do not use .skip, .only, .todo or .fails: repair the test or delete it.",
  );

/** The dependencies in package.json have exact versions, so that two clones run the same program. */
export const pinned = (file: SourceFile): ReadonlyArray<Finding> => {
  let section = "";
  return file.text.split("\n").flatMap((line, index) => {
    section = /^ {2}"(\w+)"/.exec(line)?.[1] ?? section;
    const [, name = "", version = ""] = /^ {4}"([^"]+)": "([^"]+)"/.exec(line) ?? [];
    if (!/dependencies$/i.test(section) || name === "" || /^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) return [];
    return [{ file: file.path, line: index + 1, message: `${name} is "${version}": pin an exact version.` }];
  });
};

/**
 * The lockfile names no registry, so that any mirror can serve it (.npmrc: omit-lockfile-registry-resolved).
 */
export const lockfileWithoutHosts = (file: SourceFile): ReadonlyArray<Finding> =>
  matchingLines(
    file,
    /^\s*"resolved": "(?!file:|node_modules|\.)/,
    "The lockfile names a registry host: run `npm install` with the project's .npmrc, which omits hosts.",
  );

/** No file names the host of a package registry. */
export const noRegistryHosts = (file: SourceFile): ReadonlyArray<Finding> => {
  const host = /\bregistry\.[a-z0-9-]+\.(org|com|net|dev|io)\b|\b(npm|yarn|pnpm)[a-z-]*\.pkg\.[a-z]+\.com\b/i;
  const message = "The line names a registry host: leave it to the machine's npm settings.";
  return file.text
    .split("\n")
    .flatMap((line, index) => (host.test(line) ? [{ file: file.path, line: index + 1, message }] : []));
};

/**
 * The lockfile has an entry for every optional dependency that it names. If the registry lacks one, such as
 * the binary of a platform in a new release, npm omits it silently, and `npm ci` then rejects the lockfile
 * everywhere.
 */
export const lockfileComplete = (file: SourceFile): ReadonlyArray<Finding> => {
  const entries = new Set(
    [...file.text.matchAll(/^ {4}"(?:.*\/)?node_modules\/([^"]+)": \{/gm)].map(([, name]) => name),
  );
  let isOptional = false;
  return file.text.split("\n").flatMap((line, index) => {
    if (/^ {6}"?\S/.test(line)) isOptional = line.startsWith('      "optionalDependencies"');
    const name = isOptional ? /^ {8}"([^"]+)"/.exec(line)?.[1] : undefined;
    if (name === undefined || entries.has(name)) return [];
    const message = `${name} has no entry, so npm ci fails: pin a release whose packages the registry has.`;
    return [{ file: file.path, line: index + 1, message }];
  });
};

const sections = ["dependencies", "devDependencies", "optionalDependencies"] as const;
type Section = (typeof sections)[number];
type Manifest = { readonly [section in Section]?: Readonly<Record<string, string>> };

/**
 * Each package has a lockfile in its folder with the same versions. Few people install the small packages.
 */
export const lockfileAgrees = (
  manifest: SourceFile,
  lockfile: SourceFile | undefined,
): ReadonlyArray<Finding> => {
  const finding = (message: string): Finding => ({ file: manifest.path, line: 1, message });
  if (lockfile === undefined)
    return [finding("The folder has no package-lock.json: run `npm install` in it.")];
  const wanted = JSON.parse(manifest.text) as Manifest;
  const { packages } = JSON.parse(lockfile.text) as { readonly packages: Readonly<Record<string, Manifest>> };
  const versions = (of: Manifest | undefined, section: Section): string =>
    JSON.stringify(
      Object.entries(of?.[section] ?? {})
        .map((each) => each.join(" "))
        .toSorted(),
    );
  return sections
    .filter((section) => versions(wanted, section) !== versions(packages[""], section))
    .map((section) =>
      finding(`The ${section} differ from those of the lockfile: run \`npm install\` in the folder.`),
    );
};
