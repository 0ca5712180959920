/** The length in Unicode code points, as people count characters (contract B5). */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};
