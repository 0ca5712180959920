/** The element `<waypost-inbox>`: the messages of this browser, with their media, buttons and surveys. */
import { isOpenable, make } from "./Elements.ts";
import { defaultTexts, type InboxTexts } from "./InboxTexts.ts";
import { type Answer, type Question, surveyForm } from "./SurveyForm.ts";

interface InboxMessage {
  readonly id: string;
  readonly headline: string;
  readonly body: string;
  readonly media: { readonly type: string; readonly url: string | null } | null;
  readonly cta_label: string | null;
  readonly cta_url: string | null;
  readonly actions?: ReadonlyArray<{ readonly title: string; readonly url: string | null }> | null;
  readonly questions: ReadonlyArray<Question>;
  readonly delivered_at: string | null;
  readonly opened_at: string | null;
}

/** The result of `start()`, as far as the inbox uses it. */
interface Device {
  readonly messages: (limit?: number) => Promise<ReadonlyArray<unknown>>;
  readonly opened: (message: string) => Promise<void>;
  readonly clicked: (message: string) => Promise<void>;
  readonly answer: (message: string, answers: ReadonlyArray<Answer>) => Promise<void>;
}

const styles = `
:host { display: block; color-scheme: light dark; color: CanvasText; background: Canvas; font: inherit; }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem; }
li { border: 1px solid GrayText; border-radius: 0.75rem; padding: 1rem; overflow-wrap: anywhere; }
li[data-new] { border-inline-start: 0.3rem solid LinkText; }
h2, h3, p { margin: 0 0 0.5rem; }
img, video, audio { max-inline-size: 100%; border-radius: 0.5rem; display: block; margin-block-end: 0.5rem; }
fieldset { border: 0; margin: 0 0 0.75rem; padding: 0; display: grid; gap: 0.35rem; }
legend { padding: 0; font-weight: 600; margin-block-end: 0.35rem; }
label { display: flex; gap: 0.5rem; align-items: center; min-block-size: 1.75rem; }
textarea, input[type="number"] { font: inherit; padding: 0.4rem; }
a, button { font: inherit; min-block-size: 1.5rem; margin-inline-end: 0.75rem; }
:focus-visible { outline: 2px solid LinkText; outline-offset: 2px; }
[hidden] { display: none; }`;

const mediaOf = ({ headline, media }: InboxMessage): ReadonlyArray<Node> => {
  if (media === null || !isOpenable(media.url)) return [];
  const { type, url } = media;
  if (type === "image") return [make("img", { src: url, alt: "", part: "media", loading: "lazy" })];
  const name = type === "video" ? "video" : "audio";
  return [make(name, { src: url, controls: true, preload: "none", "aria-label": headline, part: "media" })];
};

/** Lists the messages. Set `waypost` to the result of `start()`. */
export class WaypostInbox extends HTMLElement {
  #device: Device | null = null;
  /** The messages that are shown, in these texts. */
  #list = make("ul", { part: "list" });
  #shownTexts = "";
  readonly #root = this.attachShadow({ mode: "open" });
  readonly #seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) this.#open(target);
  });

  constructor() {
    super();
    // A page's policy may forbid elements with styles, not sheets like this one.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    this.#root.adoptedStyleSheets = [sheet];
  }

  /** Takes over what the page has set before this script was there. */
  connectedCallback(): void {
    const early = Object.getOwnPropertyDescriptor(this, "waypost");
    if (early === undefined) return;
    Reflect.deleteProperty(this, "waypost");
    this.waypost = early.value as Device | null;
  }

  /** The result of `start()`. Setting it loads the messages. */
  get waypost(): Device | null {
    return this.#device;
  }
  set waypost(device: Device | null) {
    this.#device = device;
    this.#shownTexts = "";
    void this.refresh();
  }

  #texts(): InboxTexts {
    const texts = Object.entries(defaultTexts).map(([name, text]) => [name, this.getAttribute(name) ?? text]);
    return Object.fromEntries(texts) as InboxTexts;
  }

  /** A message that is seen counts as opened. */
  #open(item: Element): void {
    this.#seen.unobserve(item);
    const { id } = item;
    void this.#device?.opened(id).then(() => item.removeAttribute("data-new"));
  }

  #link(id: string, title: string, url: string | null, part: string): ReadonlyArray<Node> {
    if (!isOpenable(url)) return [];
    const link = make("a", { href: url, part, rel: "noopener noreferrer", target: "_blank" }, title);
    link.addEventListener("click", () => void this.#device?.clicked(id));
    return [link];
  }

  #item(message: InboxMessage, texts: InboxTexts): HTMLLIElement {
    const { actions, body, cta_label, cta_url, delivered_at, headline, id, questions } = message;
    const item = make(
      "li",
      { id, part: "message", "data-new": message.opened_at === null },
      make("h3", { part: "headline" }, headline),
      ...(delivered_at === null
        ? []
        : [make("time", { datetime: delivered_at, part: "time" }, new Date(delivered_at).toLocaleString())]),
      make("p", { part: "body" }, body),
      ...mediaOf(message),
      ...this.#link(id, cta_label ?? texts.open, cta_url, "button"),
      ...(actions ?? []).flatMap(({ title, url }) => this.#link(id, title, url, "action")),
    );
    if (questions.length > 0)
      item.append(surveyForm(questions, texts, async (answers) => this.#device?.answer(id, answers)));
    if (message.opened_at === null) this.#seen.observe(item);
    return item;
  }

  /** Lists the messages. Those that are shown stay as they are: a survey may be half answered. */
  #show(messages: ReadonlyArray<InboxMessage>, texts: InboxTexts): void {
    const list = this.#list;
    const ids = new Set(messages.map(({ id }) => id));
    const shown = new Map([...list.children].map((item) => [item.id, item]));
    for (const [id, item] of shown) if (!ids.has(id)) item.remove();
    for (const [index, message] of messages.entries()) {
      const item = shown.get(message.id) ?? this.#item(message, texts);
      const before = list.children[index] ?? null;
      if (item !== before) list.insertBefore(item, before);
    }
  }

  /** Loads the messages again. */
  async refresh(): Promise<void> {
    const device = this.#device;
    if (device === null) return;
    const texts = this.#texts();
    const heading = make("h2", { part: "heading" }, texts.heading);
    const show = (...content: ReadonlyArray<Node>): void => this.#root.replaceChildren(heading, ...content);
    try {
      const messages = (await device.messages(50)) as ReadonlyArray<InboxMessage>;
      // Another device was set meanwhile.
      if (device !== this.#device) return;
      if (JSON.stringify(texts) !== this.#shownTexts) this.#list = make("ul", { part: "list" });
      this.#shownTexts = JSON.stringify(texts);
      this.#show(messages, texts);
      if (messages.length === 0) show(make("p", { part: "empty" }, texts.empty));
      else if (!this.#list.isConnected) show(this.#list);
    } catch {
      const again = make("button", { part: "button" }, texts.retry);
      again.addEventListener("click", () => void this.refresh());
      show(make("p", { role: "alert", part: "problem" }, texts.failed), again);
    }
  }
}

declare global {
  interface HTMLElementTagNameMap {
    readonly "waypost-inbox": WaypostInbox;
  }
}

customElements.define("waypost-inbox", WaypostInbox);
