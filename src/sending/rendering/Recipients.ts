import { Context, Effect, Layer } from "effect";
import type { TemplateValues } from "../../notifications/templates/TemplateRun.ts";
import { type RecipientKey, type RecipientRow, RecipientsSql } from "./RecipientsSql.ts";

/** The device, the campaign and the location of a message, for its texts. */
export interface Recipient {
  readonly locale: string | null;
  /** `now` is the time of rendering, in epoch milliseconds. */
  readonly values: (now: number) => TemplateValues;
}

/** A recipient with these facts. */
export const recipientOf = (row: Omit<RecipientRow, "ord">): Recipient => {
  const { attributes, locale, location, platform, timezone } = row;
  const device = { attributes, platform, locale, timezone };
  return {
    locale,
    values: (now) => ({ device, location, campaign: { name: row.campaignName }, now }),
  };
};

/** Of a device that is not stored any more. */
const unknown = recipientOf({
  attributes: {},
  platform: null,
  locale: null,
  timezone: null,
  location: null,
  campaignName: null,
});

/** Facts that the texts of messages depend on, as they are now (contract O1, O2). */
export class Recipients extends Context.Service<
  Recipients,
  {
    /** The recipients of messages, in their order. */
    readonly of: (messages: ReadonlyArray<RecipientKey>) => Effect.Effect<ReadonlyArray<Recipient>>;
  }
>()("waypost/sending/rendering/Recipients") {
  static readonly layer = Layer.effect(
    Recipients,
    Effect.map(RecipientsSql, (repository) =>
      Recipients.of({
        of: Effect.fnUntraced(function* (messages) {
          if (messages.length === 0) return [];
          const rows = yield* repository.find(messages);
          const byOrd = new Map(rows.map((row) => [row.ord, recipientOf(row)]));
          return messages.map((_, index) => byOrd.get(index + 1) ?? unknown);
        }),
      }),
    ),
  ).pipe(Layer.provide(RecipientsSql.layer));
}
