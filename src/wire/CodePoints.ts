/** The length in Unicode code points, as people count characters (contract B5). */
export const codePoints = (text: string): number => {
  let count = text.length;
  for (let index = 1; index < text.length; index++)
    if (isPart(text, index - 1, 0xd800) && isPart(text, index, 0xdc00)) count--;
  return count;
};

/** Whether a UTF-16 unit is one of a surrogate pair: the first (0xd800) or the second one (0xdc00). */
const isPart = (text: string, index: number, part: number): boolean =>
  (text.charCodeAt(index) & 0xfc00) === part;
