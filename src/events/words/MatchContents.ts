import { Context, Effect, Layer } from "effect";
import { unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { sameTenant, tenantColumns } from "../../database/TenantColumns.ts";
import type { ContentMedia } from "../../media/MediaAddress.ts";
import type { MessageTexts, TextSource } from "../../notifications/templates/MessageTexts.ts";
import type { StoredVariant } from "../../notifications/variants/Variant.ts";
import { variantsSql } from "../../notifications/variants/VariantSql.ts";
import type { KeptFacts } from "../../sending/rendering/KeptFacts.ts";
import type { ContentKey } from "../../wire/Ids.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";

/** The words of a notification, in all languages, with their media files. They never change. */
export interface MatchContent extends TextSource {
  readonly media: ContentMedia | null;
  /** Its variants with their media files; [] for none. */
  readonly variants: ReadonlyArray<StoredVariant & { readonly media: ContentMedia | null }>;
}

/** The words of a message for the device of an event. */
export interface MessageWords {
  /** The key of the variant whose words they are; null for those of the notification. */
  readonly variant: string | null;
  /** Why they cannot be rendered. */
  readonly failure: string | null;
  /** The facts that the delivery keeps; null where the words do not vary. */
  readonly kept: KeptFacts | null;
  /** The texts for the answer; null if they cannot be rendered, or there is no room for them. */
  readonly texts: MessageTexts | null;
  readonly media: ContentMedia | null;
}

/** Names a content. */
export interface ContentName extends TenantKey {
  readonly contentKey: ContentKey;
}

/** The contents that a process keeps, those used last, have so many characters. */
const maxCharacters = 8_000_000;

/** About how many characters the texts within a value have. */
export const charactersOf = (value: unknown): number => {
  if (typeof value === "string") return value.length;
  return typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, each) => sum + charactersOf(each), 0)
    : 0;
};

class MatchContentsSql extends SqlService<MatchContentsSql>("waypost/events/MatchContentsSql")((sql) => ({
  /** Contents (`ord`, from 1). */
  find: (contents: ReadonlyArray<ContentName>) =>
    Effect.orDie(sql<MatchContent & { readonly ord: number }>`
      SELECT p.ord::int AS ord, k.headline, k.body, k.cta_label, k.cta_url,
        CASE WHEN m.id IS NOT NULL THEN
          jsonb_build_object('id', m.id, 'type', m.kind, 'key', m.key) END AS media,
        COALESCE(k.questions, '[]') AS questions, k.template, k.translations, k.push,
        ${variantsSql("k")} AS variants
      FROM ${unnested("p", contents, { ...tenantColumns, key: ["int4", (content) => content.contentKey] })}
      JOIN content k ON ${sameTenant("k", "p")} AND k.key = p.key
      LEFT JOIN media_file m ON ${sameTenant("m", "k")} AND m.id = k.media_asset_id`),
})) {}

/** The contents of the notifications that events fire. A process keeps those used last. */
export class MatchContents extends Context.Service<MatchContents>()("waypost/events/MatchContents", {
  make: Effect.gen(function* () {
    const repository = yield* MatchContentsSql;
    /** In the order of their last uses. */
    const kept = new Map<string, { readonly content: MatchContent; readonly characters: number }>();
    let characters = 0;
    const nameOf = ({ contentKey, environment, workspaceId }: ContentName) =>
      `${workspaceId}/${environment}/${contentKey}`;
    const keep = (name: string, content: MatchContent, size: number): void => {
      if (!kept.delete(name)) characters += size;
      kept.set(name, { content, characters: size });
      for (const [oldest, { characters: own }] of kept) {
        if (characters <= maxCharacters) break;
        kept.delete(oldest);
        characters -= own;
      }
    };

    return {
      /** Contents, in their order; null for one that does not exist. */
      of: Effect.fnUntraced(function* (contents: ReadonlyArray<ContentName>) {
        const known = contents.map((content) => kept.get(nameOf(content)));
        const missing = contents.filter((_, index) => known[index] === undefined);
        const rows = missing.length === 0 ? [] : yield* repository.find(missing);
        const found = new Map(rows.map(({ ord, ...content }) => [missing[ord - 1], content]));
        return contents.map((name, index): MatchContent | null => {
          const content = known[index]?.content ?? found.get(name) ?? null;
          if (content !== null)
            keep(nameOf(name), content, known[index]?.characters ?? charactersOf(content));
          return content;
        });
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(MatchContents, MatchContents.make).pipe(
    Layer.provide(MatchContentsSql.layer),
  );
}
