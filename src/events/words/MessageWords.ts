import type { ContentMedia } from "../../media/MediaAddress.ts";
import type { MessageTexts } from "../../notifications/templates/MessageTexts.ts";
import type { KeptFacts } from "../../sending/rendering/KeptFacts.ts";

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
