import { type Finding, matchingLines, type SourceFile } from "./finding.ts";

/** Tests never sleep: they adjust TestClock, await a watermark, or poll a real process by a bounded schedule. */
export const noSleeps = (file: SourceFile): ReadonlyArray<Finding> =>
  matchingLines(
    file,
    /(?<!\.)\b(setTimeout|setInterval)\(|\bEffect\.sleep\(|["'](node:)?timers\/promises["']/,
    "No sleeps in tests: adjust TestClock, await a condition, or retry by a bounded Schedule.",
  );

/** Every test runs, and all of them do. */
export const noSkips = (file: SourceFile): ReadonlyArray<Finding> =>
  matchingLines(
    file,
    /\b(it|test|describe|suite|layer|effect|live|scoped|prop|bench)\.(skip|only|todo|fails)\b|\b(xit|xdescribe|fit|fdescribe)\(|\b(ctx|context|task)\.skip\(/,
    "No .skip, .only, .todo or .fails: a test that is here runs and holds.",
  );

/** Dependencies of package.json are pinned exactly, so that two clones are the same program. */
export const pinned = (file: SourceFile): ReadonlyArray<Finding> => {
  let section = "";
  return file.text.split("\n").flatMap((line, at) => {
    section = /^ {2}"(\w+)"/.exec(line)?.[1] ?? section;
    const [, name = "", version = ""] = /^ {4}"([^"]+)": "([^"]+)"/.exec(line) ?? [];
    if (!/dependencies$/i.test(section) || name === "" || /^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) return [];
    return [{ file: file.path, line: at + 1, message: `${name} is "${version}": pin an exact version.` }];
  });
};

/** The lockfile names no registry, so that any mirror serves it (.npmrc: omit-lockfile-registry-resolved). */
export const lockfileWithoutHosts = (file: SourceFile): ReadonlyArray<Finding> =>
  matchingLines(
    file,
    /^\s*"resolved": "(?!file:|node_modules|\.)/,
    "The lockfile names a registry host: run `npm install` with the project's .npmrc, which leaves it out.",
  );

/** No file names a package registry's host. */
export const noRegistryHosts = (file: SourceFile): ReadonlyArray<Finding> =>
  file.text.split("\n").flatMap((line, at) =>
    /\bregistry\.[a-z0-9-]+\.(org|com|net|dev|io)\b|\b(npm|yarn|pnpm)[a-z-]*\.pkg\.[a-z]+\.com\b/i.test(line)
      ? [
          {
            file: file.path,
            line: at + 1,
            message: "Name no registry host: leave it to the machine's npm settings.",
          },
        ]
      : [],
  );

/**
 * The lockfile holds every optional dependency it names. Where the registry at hand lacks one (a platform's binary
 * of a release made today), npm leaves it out without a word, and `npm ci` then refuses the lockfile everywhere.
 */
export const lockfileComplete = (file: SourceFile): ReadonlyArray<Finding> => {
  const held = new Set(
    [...file.text.matchAll(/^ {4}"(?:.*\/)?node_modules\/([^"]+)": \{/gm)].map(([, name]) => name),
  );
  let optional = false;
  return file.text.split("\n").flatMap((line, at) => {
    if (/^ {6}"?\S/.test(line)) optional = line.startsWith('      "optionalDependencies"');
    const name = optional ? /^ {8}"([^"]+)"/.exec(line)?.[1] : undefined;
    if (name === undefined || held.has(name)) return [];
    const message = `${name} has no entry: pin a release whose packages the registry has, or npm ci fails.`;
    return [{ file: file.path, line: at + 1, message }];
  });
};

const sections = ["dependencies", "devDependencies", "optionalDependencies"] as const;
type Manifest = { readonly [section in (typeof sections)[number]]?: Readonly<Record<string, string>> };

/** A package has a lockfile beside it, of the same versions: `npm ci` refuses another, but nobody runs that for a package that few install. */
export const lockfileAgrees = (
  manifest: SourceFile,
  lockfile: SourceFile | undefined,
): ReadonlyArray<Finding> => {
  const found = (message: string): ReadonlyArray<Finding> => [{ file: manifest.path, line: 1, message }];
  if (lockfile === undefined)
    return found("No package-lock.json beside it: run `npm install` in its folder.");
  const wanted = JSON.parse(manifest.text) as Manifest;
  const { packages } = JSON.parse(lockfile.text) as { readonly packages: Readonly<Record<string, Manifest>> };
  const same = (section: (typeof sections)[number]): boolean => {
    const names = (of: Manifest | undefined) =>
      Object.entries(of?.[section] ?? {})
        .map((each) => each.join(" "))
        .toSorted();
    return JSON.stringify(names(wanted)) === JSON.stringify(names(packages[""]));
  };
  return sections
    .filter((section) => !same(section))
    .flatMap((section) =>
      found(`Its ${section} are not those of the lockfile: run \`npm install\` in its folder.`),
    );
};
