/** Forms of doc comments and commit subjects that CONTRIBUTING.md refuses. */
import type { Finding, SourceFile } from "./finding.ts";

const openings = /\/\*\*\s+(?:\*\s+)?((?:What|Where|Those)\b)/g;
const code = /^(src|console|sdk|test|scripts)\/.*\.(tsx?|js)$/;

/** Doc comments that begin with a relative clause instead of a noun or a verb. test/guards/ quotes some. */
export const commentForms = ({ path, text }: SourceFile): ReadonlyArray<Finding> =>
  code.test(path) && !path.startsWith("test/guards/")
    ? [...text.matchAll(openings)].map(({ 1: word, index }) => ({
        file: path,
        line: text.slice(0, index).split("\n").length,
        message: `A doc comment begins with "${word}": begin with the noun, or with "Returns".`,
      }))
    : [];

/** Subjects are checked from this committer date on, that of the rule. */
export const subjectsSince = "2026-11-23T17:00:00Z";

/** Subjects of `git log --format="%h %s"` that begin with "Let" or "Say". */
export const subjectForms = (log: string): ReadonlyArray<Finding> =>
  [...log.matchAll(/^(\w+) ((?:Let|Say)\b.*)$/gm)].map(([, hash, subject]) => ({
    file: `commit ${hash}`,
    line: 1,
    message: `"${subject}" begins with "Let" or "Say": begin with the verb of the change.`,
  }));
