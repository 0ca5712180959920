import { Clock, Context, Effect, Layer, Stream } from "effect";
import { LongReads } from "../../database/LongReads.ts";
import { csvLines } from "../../http/csv/Csv.ts";
import { type CsvFile, csvName, todayOf } from "../../http/csv/CsvFile.ts";
import { NotFound } from "../../wire/ApiError.ts";
import { isUuid } from "../../wire/Ids.ts";
import type { PagePosition } from "../../wire/PagePosition.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { MessageIds } from "../deliveries/MessageId.ts";
import {
  CampaignRecipientsSql,
  type RecipientRow,
  type RecipientSelection,
  type SentCampaign,
} from "./CampaignRecipientsSql.ts";
import { CampaignRecipient } from "./RecipientsApi.ts";

/** Up to so many devices their deliveries are looked up one device after another. */
const maxDevices = 1_000;

/** The recipients of campaigns, with what came of each message (contract CO5). */
export class CampaignRecipients extends Context.Service<CampaignRecipients>()(
  "waypost/sending/CampaignRecipients",
  {
    make: Effect.gen(function* () {
      const repository = yield* CampaignRecipientsSql;
      const ids = yield* MessageIds;
      const longReads = yield* LongReads;

      /** The keys of the devices that a selection is about; null for too many, or if it names none. */
      const devicesOf = Effect.fnUntraced(function* (
        tenant: Tenant,
        campaign: SentCampaign,
        { outcome, search }: RecipientSelection,
      ) {
        const limit = maxDevices + 1;
        const found =
          search !== null
            ? yield* repository.searched(tenant, search, limit)
            : outcome === "answered"
              ? yield* repository.answered(tenant, campaign, limit)
              : null;
        return found !== null && found.length < limit ? found : null;
      });

      const shown = (rows: ReadonlyArray<RecipientRow>): ReadonlyArray<CampaignRecipient> => {
        const made = ids.idsOf(rows);
        return rows.map(({ deviceKey: _device, sourceId: _source, ...row }, index) => ({
          ...row,
          delivery_id: made[index] ?? "",
        }));
      };

      return {
        /** A campaign that is not deleted. @throws 404 */
        campaign: Effect.fn("CampaignRecipients.campaign")(function* (tenant: Tenant, id: string) {
          const found = isUuid(id) ? yield* repository.campaign(tenant, id) : null;
          return found ?? (yield* NotFound.resource("campaign"));
        }),

        /** Newest first by their send or event; `id` is that of the delivery. @throws 503 */
        page: Effect.fn("CampaignRecipients.page")(
          function* (
            tenant: Tenant,
            campaign: SentCampaign,
            { before, limit }: PagePosition,
            selection: RecipientSelection,
          ) {
            const devices = yield* devicesOf(tenant, campaign, selection);
            const behind = before === null ? null : ids.keyOf(before);
            const rows = yield* repository.page(tenant, campaign, selection, devices, behind, limit);
            return shown(rows).map((row) => ({ id: row.delivery_id, ...row }));
          },
          (page, { workspaceId }) => longReads.run(workspaceId, page),
        ),

        /** All of them as CSV, in the order of the pages. */
        file: Effect.fn("CampaignRecipients.file")(function* (
          tenant: Tenant,
          campaign: SentCampaign,
          selection: RecipientSelection,
        ) {
          const columns = Object.keys(CampaignRecipient.fields);
          return {
            name: csvName("recipients", tenant, todayOf(tenant, yield* Clock.currentTimeMillis)),
            heading: columns,
            records: Effect.map(
              Effect.flatMap(devicesOf(tenant, campaign, selection), (devices) =>
                repository.all(tenant, campaign, selection, devices),
              ),
              Stream.map((rows) => csvLines(columns, shown(rows))),
            ),
          } satisfies CsvFile;
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(CampaignRecipients, CampaignRecipients.make).pipe(
    Layer.provide([CampaignRecipientsSql.layer, MessageIds.layer]),
  );
}
