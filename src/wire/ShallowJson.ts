/** No JSON that the service takes nests deeper; what does is ignored, or an attack on whoever walks it. */
const maxDepth = 64;

/**
 * Reads JSON, with null in the place of each value more than 64 levels deep: where anything is read, something that deep is wrong by
 * its levels above, and where nothing is read it is ignored with them (contract B4). All of it must be JSON all the same. Memory and
 * time are bounded by the length of the text, whatever it nests. @throws SyntaxError
 */
export const parseShallow = (text: string): unknown => JSON.parse(isDeep(text) ? flatten(text) : text);

/** Counts brackets outside of strings, so that nothing has to walk a hostile value to find out. */
const isDeep = (text: string): boolean => {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 92) i++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 123 || code === 91) {
      if (++depth > maxDepth) return true;
    } else if (code === 125 || code === 93) depth--;
  }
  return false;
};

/** Cuts a text every 64 levels; each piece is read by itself, to see that it is JSON, and leaves a null. */
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
