/**
 * The API's codes, fields and sentences in the words of the console. The API speaks to programs: it names
 * headers, fields and values of JSON. A sentence without them is kept as it is.
 */
import { formatWallTime } from "../parts/DisplayFormats.ts";

/** Sentences of codes whose own are about requests. */
const codes: Readonly<Record<string, string>> = {
  missing_ability: "Your access key does not allow this.",
  platform_api_not_enabled:
    "The full API is not enabled for this workspace in Production: only reports can be seen. The operator " +
    "of this installation enables it.",
  request_in_progress: "This is being saved already: wait a moment, then try again.",
  invalid_cursor: "This part of the list has expired: go back to its first page.",
  missing_token: "You are not signed in: sign in again.",
  cross_origin: "The server refused this page: reload it.",
};

/** Sentences of fields that no form has. */
const fieldSentences: Readonly<Record<string, string>> = {
  "Waypost-Workspace": "Choose a workspace.",
  "Idempotency-Key": "This was changed while it was being saved: save it again.",
};

/** Names and values of fields, as forms call them. */
const words: Readonly<Record<string, string>> = {
  starts_at: "start",
  ends_at: "end",
  timezone: "time zone",
  send_at: "sending time",
  cta_url: "button address",
  cta_label: "button label",
  media_asset_id: "picture",
  location_id: "location",
  location_ids: "locations",
  location_group_ids: "location groups",
  segmentation_ids: "segments",
  device_id: "device",
  device_ids: "devices",
  user_id: "user id",
  external_id: "external id",
  radius_meters: "radius",
  cap_by: "cap counted for",
  frequency_cap_count: "times of the frequency cap",
  frequency_cap_period: "period of the frequency cap",
  cooldown_minutes: "cooldown",
  max_per_minute: "pace",
  platform_api_enabled: "full API in Production",
  on_enter: "“Entering a location”",
  on_exit: "“Leaving a location”",
  on_dwell: "“Being inside for some minutes”",
  fixed_time: "“At a fixed time”",
  on_event: "“An event of the app”",
};
const known = new RegExp(`\\b(?:${Object.keys(words).join("|")})\\b`, "g");

const rules: ReadonlyArray<readonly [pattern: RegExp, text: string]> = [
  [/ \(and (\d+) more: see fields\)$/, " There is more to change: $1."],
  [/^(The [a-z ]+) has changed since you read it\b.*$/, "$1 has changed meanwhile, so nothing was saved."],
  [/ \(max_[a-z_]+\)/g, ""],
  [/: send location_ids,.*$/, "."],
  [/: leave the segmentation ids out, or/, ": choose none, or"],
  [/: send both or neither\.$/, ": fill in both or neither."],
  [/: send day, week or month, or neither of both\.$/, ": choose day, week or month, or leave both empty."],
  [/: the trigger type must be fixed_time\.$/, "."],
  [/Only a sending time with local: true has it/, "Only a sending time in the zone of each device has it"],
  [/\bOnly on_dwell triggers have it/, "Only “Being inside for some minutes” has it"],
  [/, or null for no limit\b/, ", or empty for no limit"],
  [/(?: percent)? is fixed: send it as it is, .*/, " stays as it was: set it back."],
  [/ are fixed: send them as they are, or leave .*$/, " stay as they were: set them back."],
  [/ null (?:clears|removes) it\b/, " empty removes it"],
  [/must be a UUID\b/, "must be one of the list"],
  [/a BCP 47 language tag\b/, "a language"],
  [/\b(T|t)he url\b/g, "$1he address"],
  [/\b(T|t)he locale\b/g, "$1he language"],
  [/compare it with eq, ne or in\b/, "compare it with “is”, “is not” or “is one of”"],
  [/The value of in must be/, "The value of “is one of” must be"],
  [/The value of exists must be true or false/, "Choose whether the attribute is there"],
  [/The attributes must be a JSON object/, "The attributes must be names with values"],
];

/** A date, or a date and a time. Examples are left as they are typed. */
const date = /(?<!such as |as in )\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?(?![\w:])/g;

/** A field of the API in words. Of a nested one, each part. */
export const plainName = (name: string): string =>
  name
    .split(".")
    .map((part) => words[part] ?? part.replaceAll("_", " "))
    .join(": ");

const plainText = (sentence: string): string => {
  let text = sentence;
  for (const [pattern, by] of rules) text = text.replace(pattern, by);
  return text.replaceAll(date, formatWallTime).replaceAll(known, plainName);
};

/** A name in quotation marks, which is kept. */
const quoted = /("(?:[^"\\]|\\.)*")/;

/** A sentence of the API about a field, without names and values that only programs know. */
export const plainSentence = (sentence: string, field = ""): string =>
  (fieldSentences[field] ?? sentence)
    .split(quoted)
    .map((part) => (quoted.test(part) ? part : plainText(part)))
    .join("");

/** The message of an error. */
export const plainMessage = (code: string, message: string): string => codes[code] ?? plainSentence(message);
