import { Effect } from "effect";
import { Enrolments } from "../../campaigns/Enrolments.ts";
import { Conflict } from "../../wire/ApiError.ts";
import { ParsedBody } from "../../wire/ParsedBody.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { ContentRow } from "../ContentsSql.ts";
import type { MessageContent } from "../MessageContent.ts";
import type { ContentBody, ContentDraft } from "../NotificationDraft.ts";
import { splitOf } from "./Variant.ts";

/**
 * Makes the functions that keep the variants of a changed content. While people are enrolled, left out means
 * unchanged (contract U7).
 */
export const fixedVariants = Effect.gen(function* () {
  const enrolments = yield* Enrolments;
  const isFixed = (tenant: Tenant, { id }: ContentRow) => enrolments.isEnrolled(tenant, { notification: id });
  return {
    /** Checks that a notification may leave a campaign. @throws 409 once people are in its variants (TR4) */
    checkLeaving: Effect.fnUntraced(function* (tenant: Tenant, { id, variants }: ContentRow) {
      if (variants.length === 0 || !(yield* enrolments.hasArms(tenant, id))) return;
      return yield* Conflict.experiment({ notification: [staysAttached] });
    }),

    /**
     * A body with the variants that it leaves out and keeps, if they have other rules in the content that it
     * makes. Otherwise they are not checked again: the address of a button may be gone since.
     */
    withKept: Effect.fnUntraced(function* <A extends ContentBody>(tenant: Tenant, row: ContentRow, body: A) {
      const { template = null, type, variants } = body.fields;
      const hasSameRules = template === row.template && type === row.type;
      if (variants !== undefined || row.variants.length === 0 || hasSameRules) return body;
      if (!(yield* isFixed(tenant, row))) return body;
      return new ParsedBody<object>({ ...body.fields, variants: row.variants }, body.problems) as A;
    }),

    /** The variants to store. @throws 409 for another split */
    toStore: Effect.fnUntraced(function* (
      tenant: Tenant,
      row: ContentRow,
      draft: ContentDraft,
      { variants }: MessageContent,
    ) {
      if (splitOf(variants) === splitOf(row.variants)) return variants;
      if (!(yield* isFixed(tenant, row))) return variants;
      if (draft.variants === undefined) return row.variants;
      return yield* Conflict.experiment({ variants: [fixedSplit] });
    }),
  };
});

const fixedSplit =
  "People are enrolled in the experiment, so the keys, weights and order of the variants are fixed: send " +
  "them as they are, or leave the variants out.";

const staysAttached =
  "People are enrolled in the experiment of the notification, so it stays on its campaigns: it leaves a " +
  "campaign that is deleted.";
