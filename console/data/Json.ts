/** The value of a text that is JSON; of another one, the fallback, by default the text. */
export const jsonOr = (text: string, fallback: unknown = text): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
};
