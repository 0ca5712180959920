/** The variants of contents, as a part of statements. */
import { Statement } from "effect/sql";

const literal = (text: string): Statement.Fragment => Statement.fragment([Statement.literal(text)]);

/** SQL expression: the variant (jsonb) with a key among those of a content; null for none. Trusted text. */
export const variantSql = (variants: string, key: string): Statement.Fragment =>
  literal(
      `jsonb_path_query_first(${variants}, '$[*] ? (@.key == $key)', jsonb_build_object('key', ${key}))`,
  );

/** SQL expression: the variant of content `content` whose words the delivery of an alias has. */
export const deliveredVariantSql = (content: string, delivery: string): Statement.Fragment =>
  variantSql(`${content}.variants`, `COALESCE(${delivery}.variant, ${delivery}.winner)`);

/** SQL expression: the id of the media file that a content has with the words of a variant (jsonb or null). */
export const mediaIdSql = (content: string, words: string): Statement.Fragment =>
  literal(`COALESCE((${words} ->> 'media_asset_id')::uuid, ${content}.media_asset_id)`);

/** SQL expression: that media file as `ContentMedia`, `media` being its row, if it is not deleted. */
export const deliveredMediaSql = (content: string, words: string, media: string): Statement.Fragment =>
  literal(`CASE WHEN ${words} ->> 'media_asset_id' IS NOT NULL
      THEN jsonb_build_object('id', ${words} -> 'media_asset_id', 'type', ${words} -> 'media_kind',
        'key', ${media}.key)
    WHEN ${content}.media_asset_id IS NOT NULL
      THEN jsonb_build_object('id', ${content}.media_asset_id, 'type', ${content}.media_kind,
        'key', ${media}.key) END`);
