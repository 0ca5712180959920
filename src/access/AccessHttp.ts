import { Context, Effect, Layer, Option } from "effect";
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api";
import { Forbidden } from "../wire/ApiError.ts";
import { Access, ChangesNothing, Needs, WorksAlways } from "./Access.ts";
import { accessAtCommit } from "./AccessAtCommit.ts";
import { Caller, isOperator } from "./Caller.ts";
import { withRetryAfter } from "../wire/ErrorResponse.ts";

const notEnabled = Forbidden.of(
  "platform_api_not_enabled",
  "The full platform API is not enabled for this workspace in Production yet: only GET /me and the reports " +
    "work. Ask the operator of this service to enable it; the token stays valid.",
);

/** Demands of the annotations of an endpoint and its group. */
const rulesOf = (options: { readonly endpoint: HttpApiEndpoint.Top; readonly group: HttpApiGroup.Top }) => {
  const annotations = Context.merge(options.group.annotations, options.endpoint.annotations);
  return {
    needed: Option.getOrNull(Context.getOption(annotations, Needs)),
    worksAlways: Context.get(annotations, WorksAlways),
    changesNothing: options.endpoint.method === "GET" || Context.get(annotations, ChangesNothing),
  };
};
type Rules = ReturnType<typeof rulesOf>;

/** The rules of each endpoint, which requests read again and again. */
const rulesByEndpoint = new WeakMap<HttpApiEndpoint.Top, Rules>();

const cachedRulesOf = (options: Parameters<typeof rulesOf>[0]): Rules => {
  const rules = rulesByEndpoint.get(options.endpoint) ?? rulesOf(options);
  rulesByEndpoint.set(options.endpoint, rules);
  return rules;
};

const refusal = (caller: Caller["Service"], { needed, worksAlways }: Rules): Forbidden | null => {
  if (isOperator(caller)) return null;
  const isDisabled = caller.environment === "production" && !caller.workspace.platform_api_enabled;
  if (isDisabled && !worksAlways) return notEnabled;
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
        const rules = cachedRulesOf(options);
        const refused = refusal(caller, rules);
        if (refused !== null) return yield* refused;
        const provided = Effect.provideService(withRetryAfter(httpEffect), Caller, caller);
        return rules.changesNothing
          ? yield* provided
          : yield* checkedAtCommit(caller, rules.worksAlways, provided);
      }),
  })),
);
