import { Context, Effect, Layer } from "effect";
import { type Caller, isOperator } from "../access/Caller.ts";
import { Campaigns } from "../campaigns/Campaigns.ts";
import { Database } from "../database/Database.ts";
import { outsideTransaction } from "../http/OutsideTransaction.ts";
import { Forbidden } from "../wire/ApiError.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { CopyDraft } from "./CopiesApi.ts";
import { CopiesSql } from "./CopiesSql.ts";
import { copyMaking } from "./CopyMaking.ts";
import { copyPlanning } from "./CopyPlanning.ts";

/** Copies of campaigns in an environment of the same workspace (contract CO4). */
export class Copies extends Context.Service<Copies>()("waypost/copies/Copies", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const workspaces = yield* Workspaces;
    const campaigns = yield* Campaigns;
    const planned = yield* copyPlanning;
    const { copyBytes, make } = yield* copyMaking;

    /**
     * The environments of a copy and the name that was sent. @throws 404, 422, 403 if the caller can act only
     * in its own environment
     */
    const readRequest = Effect.fnUntraced(function* (
      caller: Caller["Service"],
      id: string,
      body: ParsedBody<CopyDraft>,
    ) {
      yield* campaigns.find(caller, id);
      const { environment, name } = yield* body.complete;
      const { workspace, workspaceId } = caller;
      if (environment !== caller.environment && !isOperator(caller)) {
        const [own, other] = [environmentName(caller.environment), environmentName(environment)];
        return yield* Forbidden.of(
          "wrong_environment",
          `This is a ${own} token, which cannot make anything in ${other}: only the operator of this ` +
            "service can copy a campaign there.",
        );
      }
      const to: Tenant = { workspace, workspaceId, environment };
      return { to, name };
    });

    return {
      find: campaigns.find,

      /** The copy that would be made, under all rules. @throws 404, 422, 403 */
      plan: Effect.fn("Copies.plan")(function* (
        caller: Caller["Service"],
        id: string,
        body: ParsedBody<CopyDraft>,
      ) {
        const { name, to } = yield* readRequest(caller, id, body);
        return { data: null, ...(yield* planned(caller, to, id, name)).counts };
      }),

      /**
       * Makes a paused copy of a campaign, with everything that it refers to and that is not there, in one
       * transaction. The bytes of media are copied before it, once the plan has room for them; those of a
       * copy that fails are swept. @throws 404, 422, 403, 503
       */
      copy: Effect.fn("Copies.copy")(function* (
        caller: Caller["Service"],
        id: string,
        body: ParsedBody<CopyDraft>,
      ) {
        const { name, to } = yield* readRequest(caller, id, body);
        const plan = yield* planned(caller, to, id, name);
        const work = `media ${plan.media.map((row) => row.id).join(" ")}`;
        const copied = yield* outsideTransaction(work, Effect.result(copyBytes(plan)));
        const files = yield* Effect.fromResult(copied);
        return yield* database.atomically(
          Effect.gen(function* () {
            // Always in this order, so that copies in both directions wait for each other.
            yield* workspaces.lock({ ...to, environment: "production" });
            yield* workspaces.lock({ ...to, environment: "sandbox" });
            return yield* make(caller, to, yield* planned(caller, to, id, name), files);
          }),
        );
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Copies, Copies.make).pipe(Layer.provide(CopiesSql.layer));
}
