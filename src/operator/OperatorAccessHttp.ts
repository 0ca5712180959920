import { Effect, Layer } from "effect";
import { IsOperator, OperatorAccess } from "./OperatorAccess.ts";
import { withRetryAfter } from "../wire/ErrorResponse.ts";

/** Enforces `OperatorAccess`. */
export const operatorAccessLayer = Layer.succeed(OperatorAccess, {
  operatorKey: (httpEffect) =>
    Effect.flatMap(IsOperator, (isOperator) =>
      isOperator
        ? withRetryAfter(httpEffect)
        : Effect.die(new Error("An operator endpoint was reached without authentication")),
    ),
});
