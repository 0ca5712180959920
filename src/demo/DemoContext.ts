import type { Access, SendRequest, Variable } from "./DemoClient.ts";
import type { ExpectedFigures } from "./ExpectedFigures.ts";
import type { Narrator } from "./Narrator.ts";

/** Everything that the chapters of the demo share. */
export interface DemoContext {
  readonly narrator: Narrator;
  readonly figures: ExpectedFigures;
  readonly send: SendRequest;
  /** The operator interface, with the operator key. */
  readonly operator: Access;
  /** Base addresses of the other interfaces. */
  readonly sandbox: Variable;
  readonly production: Variable;
  readonly device: Variable;
  /** Address of the page behind the button of the message. */
  readonly landingPage: string;
}
