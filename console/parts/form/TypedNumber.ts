/** The text of a field as the API takes it: what is no whole number is sent as it was typed. */
export const numberOrText = (text: string): number | string =>
  /^\d+$/.test(text.trim()) ? Number(text) : text;

/** The same, but null for an empty text. */
export const numberOrNull = (text: string): number | string | null =>
  text.trim() === "" ? null : numberOrText(text);
