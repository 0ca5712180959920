/** Edit distance: letters changed, added, removed, or swapped with the next (Damerau-Levenshtein). */
const editDistance = (a: string, b: string): number => {
  const rows: Array<Array<number>> = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          cell(i - 1, j) + 1,
          cell(i, j - 1) + 1,
          cell(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwapped ? cell(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return cell(a.length, b.length);
};

/** Removes what all names of a kind share: the dashes of a flag, the prefix of a setting. */
const withoutPrefix = (name: string): string => name.replace(/^(-+|WAYPOST_)/, "");

/** The names closest to a misspelled one: they start with it, or differ in at most a third of its letters. */
export const nearestNames = (written: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const word = withoutPrefix(written);
  if (word === "") return [];
  const candidates = names
    .map((name) => ({ name, bare: withoutPrefix(name) }))
    .filter(({ bare }) => bare.length > 1)
    .map(({ bare, name }) => ({ name, distance: bare.startsWith(word) ? 0 : editDistance(word, bare) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(word.length / 3)));
  const least = Math.min(...candidates.map(({ distance }) => distance));
  return candidates.filter(({ distance }) => distance === least).map(({ name }) => name);
};

/** Items as a list with "or" before the last. */
export const orList = (items: ReadonlyArray<string>): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1)}`;
