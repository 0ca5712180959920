import { Predicate, Struct } from "effect";
import { codePoints } from "../../wire/CodePoints.ts";
import { parseList, parseObject } from "../../wire/ListParsing.ts";
import type { Problems } from "../../wire/Problems.ts";
import { unstorable } from "../../wire/Text.ts";
import { ActionDraft, type PushOptions, PushOptionsDraft, shownOnly, unsetOptions } from "./PushOptions.ts";

const maxActions = 2;
const maxData = { names: 20, nameLength: 64, bytes: 1024 };
/** Names that Waypost or a push service uses itself. */
const reserved = /^(?:waypost|from|gcm|google|aps|google\..*|gcm\..*)$/s;

const Head = PushOptionsDraft.mapFields(Struct.omit(["actions", "data"]));

const nameProblem = (name: string): string | null => {
  if (name === "" || codePoints(name) > maxData.nameLength)
    return `A name in the data must have 1 to ${maxData.nameLength} characters.`;
  return reserved.test(name)
    ? "A name in the data may not be waypost, from, gcm, google or aps, nor begin with google. or gcm.: " +
        "choose another one."
    : unstorable(name);
};

const parseData = (value: unknown, problems: Problems): PushOptions["data"] => {
  if (value === undefined || value === null) return null;
  if (!Predicate.isObject(value) || Array.isArray(value)) {
    problems.add("push.data", "The data must be an object of texts.");
    return null;
  }
  const entries = Object.entries(value) as ReadonlyArray<readonly [string, unknown]>;
  if (entries.length > maxData.names) {
    problems.add("push.data", `The data can have at most ${maxData.names} names.`);
    return null;
  }
  let bytes = 0;
  const texts = entries.flatMap(([name, text]): ReadonlyArray<readonly [string, string]> => {
    const problem =
      nameProblem(name) ?? (typeof text === "string" ? unstorable(text) : "The {field} must be a text.");
    if (problem !== null) {
      problems.add(name === "" ? "push.data" : `push.data.${name}`, problem.replace("{field}", "value"));
      return [];
    }
    bytes += Buffer.byteLength(name) + Buffer.byteLength(text as string);
    return [[name, text as string]];
  });
  if (bytes > maxData.bytes) {
    const most = maxData.bytes.toLocaleString("en");
    problems.add("push.data", `The data must have at most ${most} bytes of UTF-8, its names included.`);
  }
  return texts.length === 0 ? null : Object.fromEntries(texts);
};

const parseActions = (value: unknown, problems: Problems): PushOptions["actions"] => {
  const sentence = `A push can have at most ${maxActions} actions.`;
  const limit = { max: maxActions, sentence };
  const actions = parseList(value, "push.actions", limit, problems, (action, path) =>
    parseObject(ActionDraft, action, path, problems),
  );
  if (actions === undefined || actions.length === 0) return null;
  if (actions[1]?.id !== undefined && actions[1].id === actions[0]?.id)
    problems.add("push.actions.1.id", "The ids of the actions must differ.");
  return actions.map(({ id = "", title = "", url = null }) => ({ id, title, url }));
};

/** Parses the options of a body; null if none is set. Problems are named `push.…` (contract T2). */
export const parsePushOptions = (value: unknown, problems: Problems): PushOptions | null => {
  if (value === undefined || value === null) return null;
  if (!Predicate.isObject(value) || Array.isArray(value)) {
    problems.add("push", "The push options must be an object.");
    return null;
  }
  const { silent, ...plain } = parseObject(Head, value, "push", problems);
  const options: PushOptions = {
    ...unsetOptions,
    ...plain,
    silent: silent === true ? true : null,
    actions: parseActions(value["actions"], problems),
    data: parseData(value["data"], problems),
  };
  for (const field of shownOnly)
    if (options.silent === true && options[field] !== null)
      problems.add(
        `push.${field}`,
        `A silent push shows nothing, so it has no ${nouns[field]}: leave it out.`,
      );
  return Object.values(options).every((option) => option === null) ? null : options;
};

const nouns: { readonly [field in (typeof shownOnly)[number]]: string } = {
  sound: "sound",
  badge: "badge",
  actions: "actions",
  interruption_level: "interruption level",
};
