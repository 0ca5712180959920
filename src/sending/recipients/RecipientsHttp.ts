import { Effect } from "effect";
import { Caller } from "../../access/Caller.ts";
import { CsvExports } from "../../http/csv/CsvExports.ts";
import { wantsCsv } from "../../http/csv/CsvParameters.ts";
import { Cursors } from "../../http/Cursors.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { searchPattern } from "../../wire/SearchText.ts";
import { CampaignRecipients } from "./CampaignRecipients.ts";

/** Handlers of `RecipientsApi`. */
export const recipientsHandlers = handlerGroup(
  PlatformApi,
  "recipients",
  Effect.fnUntraced(function* (handlers) {
    const recipients = yield* CampaignRecipients;
    const cursors = yield* Cursors;
    const exports = yield* CsvExports;
    return handlers.handle("list", ({ params, query: { outcome, q, ...query } }) =>
      Effect.gen(function* () {
        const caller = yield* Caller;
        const selection = { outcome, search: searchPattern(q) };
        const campaign = yield* recipients.campaign(caller, params.campaign);
        if (yield* wantsCsv)
          return yield* exports.send(caller.workspaceId, yield* recipients.file(caller, campaign, selection));
        const filters = { campaign: campaign.id, ...selection };
        const scope = { endpoint: "GET /campaigns/recipients", owner: caller, filters };
        const { data, meta } = yield* cursors.page(scope, query, (position) =>
          recipients.page(caller, campaign, position, selection),
        );
        return { data: data.map(({ id: _id, ...shown }) => shown), meta };
      }),
    );
  }),
);
