import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { Caller } from "../access/Caller.ts";
import { Cursors } from "../http/Cursors.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { Campaigns } from "./Campaigns.ts";
import { readCampaign } from "./CampaignDraft.ts";

/** Handlers of `CampaignsApi`. */
export const campaignHandlers = HttpApiBuilder.group(
  PlatformApi,
  "campaigns",
  Effect.fn(function* (handlers) {
    const campaigns = yield* Campaigns;
    const cursors = yield* Cursors;
    const data = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.map(effect, (data) => ({ data }));

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query }) {
          const caller = yield* Caller;
          const { updated_since } = query;
          const scope = {
            endpoint: "GET /campaigns",
            owner: `${caller.workspaceId}/${caller.environment}`,
            filters: { updated_since },
          };
          return yield* cursors.page(scope, query, (position) =>
            campaigns.page(caller, position, updated_since ?? null),
          );
        }),
      )
      .handleRaw("create", (input) =>
        Effect.flatMap(Caller, (caller) =>
          Effect.flatMap(readCampaign(input), (draft) => campaigns.create(caller, draft)),
        ).pipe(data),
      )
      .handle("get", ({ params }) =>
        Effect.flatMap(Caller, (caller) => campaigns.find(caller, params.campaign)).pipe(data),
      )
      .handleRaw("update", ({ params, ...input }) =>
        Effect.flatMap(Caller, (caller) =>
          readCampaign(input).pipe(
            // An id that is not there comes before a body that cannot be read (contract B1, 10 and 11).
            Effect.tapError(() => campaigns.find(caller, params.campaign)),
            Effect.flatMap((draft) => campaigns.update(caller, params.campaign, draft)),
          ),
        ).pipe(data),
      )
      .handle("delete", ({ params }) =>
        Effect.flatMap(Caller, (caller) => campaigns.delete(caller, params.campaign)).pipe(data),
      )
      .handle("pause", ({ params }) =>
        Effect.flatMap(Caller, (caller) => campaigns.pause(caller, params.campaign)).pipe(data),
      )
      .handle("publish", ({ params }) =>
        Effect.flatMap(Caller, (caller) => campaigns.publish(caller, params.campaign)).pipe(data),
      );
  }),
);
