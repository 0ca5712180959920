import { Array as Arr, Effect } from "effect";
import { TakesLong } from "../../database/Batched.ts";
import { isSameForAllVariants, ownTexts } from "../../notifications/templates/MessageTexts.ts";
import { unitOf } from "../../sending/arms/Arm.ts";
import { type Arm, armOf, wordsOf } from "../../sending/arms/Experiment.ts";
import { type Recipient, Recipients } from "../../sending/rendering/Recipients.ts";
import { Stopwatch, timeSlices } from "../../workers/TimeSlices.ts";
import { EventBounds } from "../EventParts.ts";
import { charactersOf, type MatchContent, MatchContents, type MessageWords } from "./MatchContents.ts";
import type { TriggerMatch } from "../TriggerMatch.ts";

/** How long the messages of a workspace may take to render in a batch with others, in milliseconds. */
const maxSharedMillis = 20;
/** So many contents are read at once: one has up to a megabyte. */
const pageSize = 8;

type RecipientKey = Parameters<Recipients["Service"]["of"]>[0][number];

/** A message of an event whose words are made. */
export interface WantedWords extends RecipientKey {
  readonly match: TriggerMatch;
  readonly deviceId: string;
  /** The arm of its unit, if it is known. */
  readonly arm?: Arm | null;
}

/**
 * Makes the function that makes the words of messages, in their order, in time slices: for their devices as
 * they are now. It reads a page of contents after the other and keeps the texts that it has room for, those
 * of silent messages first. Fails a batch of several workspaces by `TakesLong` if the messages of one take
 * long; `isAlone` says that there is one only.
 */
export const eventWords = Effect.gen(function* () {
  const contents = yield* MatchContents;
  const recipients = yield* Recipients;
  const { textCharacters } = yield* EventBounds;

  return Effect.fnUntraced(function* (wanted: ReadonlyArray<WantedWords>, isAlone: boolean) {
    const varying = wanted.filter(({ match }) => match.varies);
    const found = yield* recipients.of(varying);
    const recipientOf = new Map(varying.map((message, index) => [message, found[index]]));
    const words = new Map<WantedWords, MessageWords>();
    const now = yield* Stopwatch;
    const yieldIfLong = timeSlices();
    const millis = new Map<number, number>();
    let room = textCharacters;
    // One content after the other: each is parsed once, even if the cache cannot hold all of them.
    const byContent = [...Map.groupBy(wanted, ({ match }) => match.content_key)]
      .map(([contentKey, own]) => ({ contentKey, own, isSilent: own[0]?.match.silent === true }))
      .sort((a, b) => Number(b.isSilent) - Number(a.isSilent) || a.contentKey - b.contentKey);
    for (const page of Arr.chunksOf(byContent, pageSize)) {
      const read = yield* contents.of(
        page.flatMap(({ contentKey, own: [first] }) =>
          first === undefined ? [] : [{ ...first, contentKey }],
        ),
      );
      for (const [index, { own }] of page.entries())
        for (const message of own) {
          const since = now();
          const made = wordsFor(message, read[index] ?? null, recipientOf.get(message) ?? null);
          const size = charactersOf(made.texts);
          words.set(message, size > room ? { ...made, texts: null } : made);
          room -= size > room ? 0 : size;
          const { workspaceId } = message;
          millis.set(workspaceId, (millis.get(workspaceId) ?? 0) + now() - since);
          if (!isAlone && (millis.get(workspaceId) ?? 0) > maxSharedMillis)
            return yield* Effect.die(new TakesLong(workspaceId));
          yield* yieldIfLong;
        }
    }
    return wanted.map((message) => words.get(message) ?? noWords);
  });
});

/** The words of a message whose content is gone. */
export const noWords: MessageWords = { variant: null, failure: null, kept: null, texts: null, media: null };

const wordsFor = (
  { arm: known, deviceId, match }: WantedWords,
  content: MatchContent | null,
  recipient: Recipient | null,
): MessageWords => {
  if (content === null) return noWords;
  const { experiment, notification_id: id } = match;
  const arm =
    known !== undefined || experiment === null
      ? (known ?? null)
      : armOf(experiment, id, content.variants, unitOf(deviceId, recipient?.userId ?? null));
  const own = wordsOf(content.variants, arm);
  const source = { ...content, variantTexts: own };
  const made = {
    variant: arm?.variant ?? arm?.winner ?? null,
    failure: null,
    kept: null,
    media: own !== null && own.media_asset_id !== null ? own.media : content.media,
  };
  if (recipient === null || isSameForAllVariants(content)) return { ...made, texts: ownTexts(source) };
  const result = recipient.render(source);
  return result._tag === "Failed"
    ? { ...made, failure: result.reason, texts: null }
    : { ...made, kept: recipient.kept(source, result.variables), texts: result.texts };
};
