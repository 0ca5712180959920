/** No JSON that the service reads nests deeper. */
const maxDepth = 64;

/**
 * Parses JSON, with null for each value that is more than 64 levels deep. A field that is read is refused for
 * its upper levels, and one that is not read is ignored anyway (contract B4). All of the text must be JSON.
 * Memory and time are bounded by the length of the text, however deeply it nests. @throws SyntaxError
 */
export const parseShallow = (text: string): unknown => JSON.parse(flatten(text));

/**
 * Cuts a text every 64 levels. Each inner piece is parsed, to check that it is JSON, and replaced by null.
 */
const flatten = (text: string): string => {
  const outer: Array<string> = [];
  let piece = "";
  let from = 0;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 92) i++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 123 || code === 91) {
      if (depth > 0 && depth % maxDepth === 0) {
        outer.push(piece + text.slice(from, i));
        piece = "";
        from = i;
      }
      depth++;
    } else if (code === 125 || code === 93) {
      depth--;
      if (depth > 0 && depth % maxDepth === 0) {
        JSON.parse(piece + text.slice(from, i + 1));
        piece = `${outer.pop() ?? ""}null`;
        from = i + 1;
      }
    }
  }
  if (outer.length > 0) throw new SyntaxError("A bracket is not closed");
  return piece + text.slice(from);
};
