import { Data } from "effect";

/** Settings that cannot be read. `problems` has one sentence for each, and `message` lists all of them. */
export class SettingsInvalid extends Data.TaggedError("SettingsInvalid")<{
  readonly problems: ReadonlyArray<string>;
}> {
  override get message(): string {
    return `Waypost cannot read its settings:\n${this.problems.map((problem) => `  - ${problem}`).join("\n")}`;
  }
}
