/** How many letters must be changed, added, left out or swapped with the next to make one word the other. */
const distance = (a: string, b: string): number => {
  const rows: Array<Array<number>> = [Array.from({ length: b.length + 1 }, (_, at) => at)];
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

/** Those of the words that somebody may have meant who wrote this one: begun like it, or few letters away. */
export const nearest = (written: string, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const bare = written.replace(/^-+/, "");
  if (bare === "") return [];
  const rated = words
    .map((word) => ({ word, bare: word.replace(/^-+/, "") }))
    .filter((each) => each.bare.length > 1)
    .map((each) => ({ word: each.word, far: each.bare.startsWith(bare) ? 0 : distance(bare, each.bare) }))
    .filter(({ far }) => far <= Math.max(1, Math.floor(bare.length / 3)));
  const closest = Math.min(...rated.map(({ far }) => far));
  return rated.filter(({ far }) => far === closest).map(({ word }) => word);
};
