/**
 * The handlers of `CampaignsApi`, one short line each: they parse the body and call the service `Campaigns`.
 */
import { Clock, Effect } from "effect";
import { Caller, callerData } from "../access/Caller.ts";
import { Cursors } from "../http/Cursors.ts";
import { showVersion } from "../http/ResourceVersion.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { searchPattern } from "../wire/SearchText.ts";
import { CampaignDraft } from "./CampaignDraft.ts";
import { Campaigns } from "./Campaigns.ts";
import { campaignVersion, shownCampaign, type StoredCampaign } from "./StoredCampaign.ts";

/** Handlers of `CampaignsApi`. */
export const campaignHandlers = handlerGroup(
  PlatformApi,
  "campaigns",
  Effect.fnUntraced(function* (handlers) {
    const campaigns = yield* Campaigns;
    const cursors = yield* Cursors;

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query }) {
          const caller = yield* Caller;
          const { archived, draft, q, status = null, type = null, updated_since = null } = query;
          const search = searchPattern(q);
          const isArchived = archived === "true";
          const filters = { updated_since, status, type, search, archived: isArchived || undefined, draft };
          const scope = { endpoint: "GET /campaigns", owner: caller, filters };
          return yield* cursors.page(scope, query, (position) =>
            campaigns.page(caller, position, {
              updatedSince: updated_since,
              status,
              type,
              search,
              isArchived,
              isDraft: draft === undefined ? null : draft === "true",
            }),
          );
        }),
      )
      .handleRaw("create", (input) =>
        callerData((caller) =>
          Effect.flatMap(readParsedBody(CampaignDraft, input), (draft) => campaigns.create(caller, draft)),
        ),
      )
      .handle("get", ({ params }) => answer((caller) => campaigns.find(caller, params.campaign)))
      .handleRaw("update", ({ params, ...input }) =>
        answer((caller) =>
          readParsedBody(CampaignDraft, input).pipe(
            // An unknown id is reported before a body that cannot be parsed (contract B1, 10 and 11).
            Effect.tapError(() => campaigns.find(caller, params.campaign)),
            Effect.flatMap((draft) => campaigns.update(caller, params.campaign, draft)),
          ),
        ),
      )
      .handle("delete", ({ params }) => callerData((caller) => campaigns.delete(caller, params.campaign)))
      .handle("pause", ({ params }) => answer((caller) => campaigns.pause(caller, params.campaign)))
      .handle("archive", ({ params }) => answer((caller) => campaigns.archive(caller, params.campaign)))
      .handle("unarchive", ({ params }) => answer((caller) => campaigns.unarchive(caller, params.campaign)))
      .handle("publish", ({ params }) => answer((caller) => campaigns.publish(caller, params.campaign)));
  }),
);

/** Responds with a campaign and its version. */
const answer = <E, R>(handle: (caller: Caller["Service"]) => Effect.Effect<StoredCampaign, E, R>) =>
  callerData((caller) =>
    Effect.gen(function* () {
      const campaign = yield* handle(caller);
      yield* showVersion(campaignVersion(campaign));
      return shownCampaign(campaign, yield* Clock.currentTimeMillis);
    }),
  );
