/** Receives the parts of a JSON text in their order. */
export interface JsonHandler {
  /** An object begins; false skips its content, which is then only checked, and its `close`. */
  readonly openObject: (depth: number) => boolean;
  /** As `openObject`, for an array. */
  readonly openArray: (depth: number) => boolean;
  /** The object or array that was opened last ends. */
  readonly close: () => void;
  /** The name of a member; false skips its value. */
  readonly key: (name: string) => boolean;
  /** A text, number, true, false or null. Only the first 65,536 characters of a longer text are given. */
  readonly value: (value: string | number | boolean | null) => void;
}
