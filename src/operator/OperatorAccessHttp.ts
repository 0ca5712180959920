import { Effect, Layer } from "effect";
import { IsOperator, OperatorAccess } from "./OperatorAccess.ts";

/** Enforces `OperatorAccess` for whom the operator door has let in. */
export const operatorAccessLayer = Layer.succeed(OperatorAccess, {
  operatorKey: (httpEffect) =>
    Effect.flatMap(IsOperator, (isOperator) =>
      isOperator ? httpEffect : Effect.die(new Error("An operator endpoint was reached past its door")),
    ),
});
