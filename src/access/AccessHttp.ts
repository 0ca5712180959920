import { Context, Effect, Layer, Option } from "effect";
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api";
import { Forbidden } from "../wire/ApiError.ts";
import { Access, ChangesNothing, Needs, WorksAlways } from "./Access.ts";
import { accessAtCommit } from "./AccessAtCommit.ts";
import { Caller } from "./Caller.ts";
import { withRetryAfter } from "../wire/ErrorResponse.ts";

const notEnabled = Forbidden.of(
  "platform_api_not_enabled",
  "The full platform API is not enabled for this workspace in Production yet: only GET /me and the reports " +
    "work. Ask the operator of this service to enable it; the token stays valid.",
);

const annotationsOf = (options: {
  readonly endpoint: HttpApiEndpoint.Top;
  readonly group: HttpApiGroup.Top;
}) => Context.merge(options.group.annotations, options.endpoint.annotations);

const refusal = (caller: Caller["Service"], annotations: Context.Context<never>): Forbidden | null => {
  const isDisabled = caller.environment === "production" && !caller.workspace.platform_api_enabled;
  if (isDisabled && !Context.get(annotations, WorksAlways)) return notEnabled;
  const needed = Option.getOrNull(Context.getOption(annotations, Needs));
  return needed === null || caller.abilities.includes(needed)
    ? null
    : Forbidden.of(
        "missing_ability",
        `This endpoint needs the ability ${needed}, which this token does not have. ` +
          "Abilities are chosen when a token is issued.",
      );
};

/** Enforces `Access` for the authenticated caller, for a change also when it commits. */
export const accessLayer = Layer.effect(
  Access,
  Effect.map(accessAtCommit, (checkedAtCommit) => ({
    token: (httpEffect, options) =>
      Effect.gen(function* () {
        const caller = Context.getUnsafe(yield* Effect.context(), Caller);
        const annotations = annotationsOf(options);
        const refused = refusal(caller, annotations);
        if (refused !== null) return yield* refused;
        const provided = Effect.provideService(withRetryAfter(httpEffect), Caller, caller);
        return options.endpoint.method === "GET" || Context.get(annotations, ChangesNothing)
          ? yield* provided
          : yield* checkedAtCommit(caller, Context.get(annotations, WorksAlways), provided);
      }),
  })),
);
