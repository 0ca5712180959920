/** What every chapter of the demo works with. */
import type { Ask, Variable } from "./DemoClient.ts";
import type { Figures } from "./ExpectedFigures.ts";
import type { Narrator } from "./Narrator.ts";

/** The means of telling, the addresses of the three interfaces, and the place the campaign points to. */
export interface DemoStage {
  readonly narrator: Narrator;
  readonly figures: Figures;
  readonly ask: Ask;
  readonly operator: Variable;
  readonly sandbox: Variable;
  readonly production: Variable;
  readonly device: Variable;
  readonly operatorKey: Variable;
  readonly landingPage: string;
}

/** The members of `value` under these names, in this order: the essential part of an answer. */
export const pick = (value: unknown, ...names: ReadonlyArray<string>): Record<string, unknown> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    ]),
  );
