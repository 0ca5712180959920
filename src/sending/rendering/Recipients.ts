import { Context, Effect, Layer } from "effect";
import {
  isTranslated,
  type RenderedTexts,
  renderTexts,
  type TextSource,
  variablesOf,
} from "../../notifications/templates/MessageTexts.ts";
import type { StartedSend } from "../sends/Send.ts";
import { type KeptFacts, keptFacts, readFacts, type RecipientFacts } from "./KeptFacts.ts";
import type { SendFacts } from "./KeptFactsSql.ts";
import { type RecipientKey, RecipientsSql } from "./RecipientsSql.ts";

/** The device, the campaign and the location of a message, for its texts. */
export interface Recipient {
  readonly locale: string | null;
  /** The person behind the device as it is now; null for none, and for kept facts. */
  readonly userId: string | null;
  /** The texts of a content for it, at its instant. */
  readonly render: (content: TextSource) => RenderedTexts;
  /** The facts that a delivery keeps whose texts read these variables. */
  readonly kept: (content: TextSource, variables: ReadonlySet<string>) => KeptFacts;
}

/** A device that is not stored any more. */
const unknown: RecipientFacts = {
  attributes: {},
  platform: null,
  locale: null,
  timezone: null,
  location: null,
  campaign: null,
  event: null,
};

/** A recipient with these facts; `now` is the time of rendering, in epoch milliseconds. */
export const recipientOf = (some: KeptFacts, now: number, userId: string | null = null): Recipient => {
  const facts = { ...unknown, ...some };
  const { attributes, campaign, event, locale, platform, timezone } = facts;
  const device = { attributes, platform, locale, timezone };
  const location = facts.location && { name: "", address: null, external_id: null, ...facts.location };
  return {
    locale,
    userId,
    render: (content) =>
      renderTexts(content, locale, () => ({
        device,
        location,
        campaign: { name: campaign },
        event,
        now: some.at ?? now,
      })),
    kept: (content, variables) => keptFacts(facts, readFacts(content, variables)),
  };
};

/** The recipients of messages. */
export class Recipients extends Context.Service<
  Recipients,
  {
    /**
     * The recipients of messages, in their order: as their deliveries keep them (contract T7), and of others
     * as they are now (contract O1, O2).
     */
    readonly of: (messages: ReadonlyArray<RecipientKey>) => Effect.Effect<ReadonlyArray<Recipient>>;
    /** The facts that the texts of sends read; nothing of a send with the same texts for all devices. */
    readonly ofSends: (sends: ReadonlyArray<StartedSend>) => Effect.Effect<ReadonlyArray<SendFacts>>;
  }
>()("waypost/sending/rendering/Recipients") {
  static readonly layer = Layer.effect(
    Recipients,
    Effect.map(RecipientsSql, (repository) =>
      Recipients.of({
        of: Effect.fnUntraced(function* (messages) {
          const current = messages.filter(({ recipient }) => recipient === null);
          const rows = current.length === 0 ? [] : yield* repository.find(current);
          const found = new Map(rows.map(({ ord, ...facts }) => [current[ord - 1], facts]));
          return messages.map((each) => {
            const { userId = null, ...facts } = found.get(each) ?? {};
            const current = { ...facts, event: each.event ?? null };
            return recipientOf(each.recipient ?? current, each.now, userId);
          });
        }),

        ofSends: (sends) =>
          Effect.map(repository.contents(sends), (rows) =>
            rows.map(({ campaign, environment, sourceId, variants, workspaceId, ...content }) => {
              // The texts of the content, and those of each variant.
              const sources = [content, ...variants.map((variantTexts) => ({ ...content, variantTexts }))];
              const variables = new Set(sources.flatMap((source) => [...variablesOf(source)]));
              const { campaign: isNamed, event: _, ...all } = readFacts(content, variables);
              const read = { ...all, locale: all.locale || sources.some(isTranslated) };
              const fixed = isNamed && campaign !== null ? { campaign } : {};
              return { workspaceId, environment, sourceId, ...read, fixed };
            }),
          ),
      }),
    ),
  ).pipe(Layer.provide(RecipientsSql.layer));
}
