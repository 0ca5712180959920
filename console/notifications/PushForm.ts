/** The push options of the editor of a notification, and how they become those of a draft of the API. */
import { jsonOr } from "../data/Json.ts";
import type { ContentDraft, Notification } from "../data/Resources.ts";
import type { Typed } from "../data/Typed.ts";
import { numberOrNull } from "../parts/form/TypedNumber.ts";

/** An action while it is edited; one without any text is none. */
export interface ActionValues {
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

/** Typed and chosen values. */
export interface PushValues {
  readonly sound: string;
  readonly badge: string;
  readonly priority: string;
  readonly ttl_seconds: string;
  readonly collapse_key: string;
  readonly interruption_level: string;
  readonly channel_id: string;
  readonly category: string;
  readonly silent: boolean;
  readonly actions: readonly [ActionValues, ActionValues];
  /** Lines of `name=text`; a JSON object where lines cannot have it. */
  readonly data: string;
}

const noAction: ActionValues = { id: "", title: "", url: "" };

const plainNames = [
  "sound",
  "priority",
  "collapse_key",
  "interruption_level",
  "channel_id",
  "category",
  "badge",
  "ttl_seconds",
] as const;

const dataText = (data: Readonly<Record<string, string>> | null): string => {
  const entries = Object.entries(data ?? {});
  const asLines = entries.every(
    ([name, text]) => !/^\{|[=\n\r]/.test(name) && name.trim() !== "" && !/[\n\r]/.test(text),
  );
  return asLines ? entries.map(([name, text]) => `${name}=${text}`).join("\n") : JSON.stringify(data);
};

const dataOf = (text: string): unknown => {
  if (text.trim().startsWith("{")) return jsonOr(text);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...rest] = line.split("=");
      return [name, rest.join("=")];
    }),
  );
};

/** The values of options that are there, or of none. */
export const pushValues = (push: Notification["push"]): PushValues => {
  const actionAt = (index: number) => ({ ...noAction, ...push?.actions?.[index] });
  return {
    ...(Object.fromEntries(plainNames.map((name) => [name, String(push?.[name] ?? "")])) as Record<
      (typeof plainNames)[number],
      string
    >),
    silent: push?.silent === true,
    actions: [0, 1].map((index) => {
      const { id, title, url } = actionAt(index);
      return { id, title, url: url ?? "" };
    }) as unknown as PushValues["actions"],
    data: dataText(push?.data ?? null),
  };
};

/** Whether an action is typed. */
export const isTyped = ({ id, title, url }: ActionValues): boolean => `${id}${title}${url}`.trim() !== "";

/** The options of a draft. A silent push has none of what it does not show. */
export const sentPush = (values: PushValues): Typed<ContentDraft["push"]> => {
  const text = (name: (typeof plainNames)[number]) => values[name].trim() || null;
  const number = (name: "badge" | "ttl_seconds") => numberOrNull(values[name]);
  const { silent } = values;
  return {
    sound: silent ? null : text("sound"),
    badge: silent ? null : number("badge"),
    priority: text("priority"),
    ttl_seconds: number("ttl_seconds"),
    collapse_key: text("collapse_key"),
    interruption_level: silent ? null : text("interruption_level"),
    channel_id: text("channel_id"),
    category: text("category"),
    silent,
    actions: silent ? null : values.actions.filter(isTyped),
    data: dataOf(values.data) as Record<string, string>,
  };
};

/** The options that are set, with their names. */
export const setOptions = (values: PushValues): ReadonlyArray<readonly [name: string, option: unknown]> =>
  Object.entries(sentPush(values) ?? {}).filter(
    ([, option]) => !["null", "false", "[]", "{}"].includes(JSON.stringify(option)),
  );
