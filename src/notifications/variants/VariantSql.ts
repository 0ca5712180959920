/** The variants of contents, as a part of statements. */
import { Statement } from "effect/sql";

const literal = (text: string): Statement.Fragment => Statement.fragment([Statement.literal(text)]);

/** SQL expression: the variant (jsonb) with a key among those of a content; null for none. Trusted text. */
export const variantSql = (variants: string, key: string): Statement.Fragment =>
  literal(`jsonb_path_query_first(${variants}, '$[*] ? (@.key == $key)', jsonb_build_object('key', ${key}))`);

/** SQL expression: the variant of content `content` whose words the delivery of an alias has. */
export const deliveredVariantSql = (content: string, delivery: string): Statement.Fragment =>
  variantSql(`${content}.variants`, `COALESCE(${delivery}.variant, ${delivery}.winner)`);

/** SQL condition: the texts of a content differ by device, as `isSameForAllVariants` decides it. */
export const variesSql = (content: string): Statement.Fragment =>
  literal(`(${content}.template IS NOT NULL OR ${content}.translations IS NOT NULL
    OR ${content}.variants @? '$[*].translations.type() ? (@ == "object")')`);

/** SQL expression: the id of the media file of a content with the words of a variant (jsonb or null). */
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

/**
 * SQL expression: the variants of a content, each with its media file as `ContentMedia`; [] for none.
 */
export const variantsSql = (content: string): Statement.Fragment =>
  literal(`CASE WHEN ${content}.variants IS NULL THEN '[]' ELSE (
    SELECT jsonb_agg(v.variant || jsonb_build_object('media', CASE WHEN f.id IS NOT NULL THEN
      jsonb_build_object('id', f.id, 'type', f.kind, 'key', f.key) END) ORDER BY v.ord)
    FROM jsonb_array_elements(${content}.variants) WITH ORDINALITY AS v (variant, ord)
    LEFT JOIN media_file f ON f.workspace_id = ${content}.workspace_id
      AND f.environment = ${content}.environment AND f.id = (v.variant ->> 'media_asset_id')::uuid) END`);

/** SQL expression: the experiment of the campaign of an alias, as `Experiment`; null for none. */
export const experimentSql = (campaign: string): Statement.Fragment =>
  literal(`CASE WHEN ${campaign}.holdout_percent > 0 OR ${campaign}.has_variants THEN jsonb_build_object(
    'campaignKey', ${campaign}.key, 'campaignId', ${campaign}.id,
    'holdoutPercent', ${campaign}.holdout_percent, 'isStopped', ${campaign}.experiment_stopped_at IS NOT NULL,
    'keepHoldout', COALESCE(${campaign}.keep_holdout, false),
    'winnerNotificationId', ${campaign}.winner_notification_id, 'winnerKey', ${campaign}.winner_key,
    'goal', CASE ${campaign}.goal ->> 'type' WHEN 'event' THEN 'event:' || (${campaign}.goal ->> 'event')
      ELSE ${campaign}.goal ->> 'type' END,
    'goalHours', (${campaign}.goal ->> 'within_hours')::int) END`);
