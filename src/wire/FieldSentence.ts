const nouns: { readonly [key: string]: string } = {
  starts_at: "start",
  ends_at: "end",
  cta_url: "button address",
  cta_label: "button label",
  media_asset_id: "media file",
  send_at: "sending time",
  except: "list of exceptions",
  timezone: "time zone",
  updated_since: "earliest update",
  features: "list of features",
  expires_at: "expiry",
  occurred_at: "time of the event",
  recorded_at: "time of the position",
  accuracy_meters: "accuracy",
  lat: "latitude",
  lng: "longitude",
  location_id: "location id",
  sdk_key: "SDK key",
};

/** The verbs that follow `{field}`, by their singular. */
const pluralVerbs: { readonly [verb: string]: string } = {
  is: "are",
  does: "do",
  has: "have",
  contains: "contain",
};

/** Whether a field name without a noun of its own is plural, such as `answers`, unlike `address`. */
const isPlural = (key: string): boolean =>
  !Object.hasOwn(nouns, key) && key.endsWith("s") && !/(ss|us|is)$/.test(key);

/**
 * Replaces `{field}` in a sentence by the field at this path in words. Its verb follows: "The name is
 * required", "The answers are required", "Entry 2 of the answers is required".
 */
export const fieldSentence = (message: string, path: ReadonlyArray<PropertyKey>): string => {
  const last = path.at(-1);
  const isEntry = typeof last === "number";
  const key = String((isEntry ? path.at(-2) : last) ?? "body");
  const noun = nouns[key] ?? key.replaceAll("_", " ");
  if (isEntry) {
    const entry = `ntry ${last} of the ${noun}`;
    return message.replaceAll("The {field}", `E${entry}`).replaceAll(/(the )?\{field\}/g, `e${entry}`);
  }
  return message.replaceAll(/\{field\}(?: (is|does|has|contains)\b)?/g, (_, verb?: string) => {
    if (verb === undefined) return noun;
    return `${noun} ${isPlural(key) ? (pluralVerbs[verb] ?? verb) : verb}`;
  });
};
