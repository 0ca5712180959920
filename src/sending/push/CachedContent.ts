import {
  isSameForAll,
  ownTexts,
  type TextSource,
  variablesOf,
} from "../../notifications/templates/MessageTexts.ts";
import { lookupTag } from "../../notifications/translations/Translation.ts";
import type { KeptFacts } from "../rendering/KeptFacts.ts";
import type { Recipient } from "../rendering/Recipients.ts";
import type { PushContent } from "./PushPayload.ts";

/** The content of pushes that a worker caches. Devices that get the same texts share one content. */
export class CachedContent {
  /** The content as it is for every device without a translation, if it has no template. */
  readonly forAll: PushContent;
  /** Whether every device gets the same. */
  readonly isSameForAll: boolean;
  readonly #source: TextSource;
  readonly #byTag = new Map<string, PushContent>();

  constructor(content: PushContent, words: Pick<TextSource, "template" | "translations" | "variantTexts">) {
    const source = { ...content, questions: [], ...words };
    const { questions: _questions, ...texts } = ownTexts(source);
    this.forAll = words.variantTexts ? { ...content, ...texts } : content;
    this.isSameForAll = isSameForAll(source);
    this.#source = source;
  }

  /** The content for one device; a sentence if its texts cannot be rendered. */
  for(recipient: Recipient): PushContent | string {
    if (this.#source.template !== null) return this.#render(recipient);
    const tags = [this.#source.translations, this.#source.variantTexts?.translations]
      .map((translations) => lookupTag(Object.keys(translations ?? {}), recipient.locale))
      .join("/");
    const known = this.#byTag.get(tags);
    if (known !== undefined) return known;
    const content = this.#render(recipient);
    if (typeof content !== "string") this.#byTag.set(tags, content);
    return content;
  }

  /** The facts that a delivery to a recipient keeps. */
  kept(recipient: Recipient): KeptFacts {
    return recipient.kept(this.#source, variablesOf(this.#source));
  }

  #render(recipient: Recipient): PushContent | string {
    const rendered = recipient.render(this.#source);
    if (rendered._tag === "Failed") return rendered.reason;
    const { body, cta_label, cta_url, headline, push } = rendered.texts;
    const { language } = rendered;
    return { ...this.forAll, headline, body, cta_label, cta_url, push, language };
  }
}
