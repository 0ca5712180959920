import { Data } from "effect";
import { Invalid } from "./SettingParsers.ts";

/** Settings as text, by name, as the environment or a settings file gives them. */
export type SettingsRecord = Readonly<Record<string, string | undefined>>;

/** A named value that is parsed from text. */
export interface Variable<A> {
  readonly name: string;
  readonly parse: (text: string) => A | Invalid;
  /** The value when the variable is not set. */
  readonly fallback: () => A;
  /** Whether no error message may repeat the value. */
  readonly isSecret: boolean;
}

/** A text without the user and the password of an address in it, which may be secret. */
const withoutCredentials = (text: string): string => text.replaceAll(/(?<=\/\/)[^/\s]*@/g, "<redacted>@");

/** Reads variables from a record. It collects every problem, so that one start reports all of them. */
export class SettingReader {
  /** One sentence for each variable that cannot be read. */
  readonly problems: Array<string> = [];
  readonly #record: SettingsRecord;

  constructor(record: SettingsRecord) {
    this.#record = record;
  }

  /** Whether the variable is set. A blank text counts as not set. */
  has(name: string): boolean {
    return (this.#record[name] ?? "").trim() !== "";
  }

  /** The value of a variable. A text that cannot be parsed adds a problem and counts as not set. */
  read<A>({ fallback, isSecret, name, parse }: Variable<A>): A {
    if (!this.has(name)) return fallback();
    const text = (this.#record[name] ?? "").trim();
    const value = parse(text);
    if (!(value instanceof Invalid)) return value;
    const shown = isSecret ? "" : `; it is "${withoutCredentials(text)}"`;
    this.problems.push(`${name} must be ${value.expected}${shown}.`);
    return fallback();
  }
}

/** Settings that cannot be read. `problems` has one sentence for each, and `message` lists all of them. */
export class SettingsInvalid extends Data.TaggedError("SettingsInvalid")<{
  readonly problems: ReadonlyArray<string>;
}> {
  override get message(): string {
    return ["Waypost cannot read its settings:", ...this.problems.map((each) => `  - ${each}`)].join("\n");
  }
}
