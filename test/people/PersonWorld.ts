import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { webhookWorld } from "../webhooks/WebhookWorld.ts";

/** The person, and all texts that lead to it. */
export const userId = 'anna "qq" / zzuser';
export const traces = {
  installation: "zzinstallation-of-anna",
  second: "zzinstallation-of-her-tablet",
  token: "zztoken-of-annas-phone",
  attribute: "zzattribute-of-anna",
  locale: "zz-Anna",
  version: "9.9.9-zzversion",
  text: "zzanswer that anna wrote",
};

/** Texts that are found nowhere after the erasure. JSON does not change the given part of the user id. */
export const namesOf = (phones: ReadonlyArray<{ readonly id: string }>) => [
  ...Object.values(traces),
  "zzuser",
  ...phones.map(({ id }) => id),
];

/** The tables with a row of a workspace, or of none, that has one of these texts in any column. */
const tablesWith = Effect.fnUntraced(function* (workspaceId: number, names: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient;
  const tables = yield* Effect.orDie(sql<{ name: string }>`
    SELECT c.relname AS name FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY 1`);
  const found: Array<string> = [];
  for (const { name } of tables) {
    // A row as text has every column; bytes are hexadecimal digits there.
    for (const each of names) {
      const hex = Buffer.from(each).toString("hex");
      const rows = yield* Effect.orDie(sql`
        SELECT 1 FROM ${sql(name)} AS t
        WHERE COALESCE(to_jsonb(t) ->> 'workspace_id', ${String(workspaceId)}) = ${String(workspaceId)}
          AND (strpos(t::text, ${each}) > 0 OR strpos(t::text, ${hex}) > 0) LIMIT 1`);
      if (rows.length > 0) found.push(`${name}: ${each}`);
    }
  }
  return found;
});

/** The number of registered devices, and its shares, which an erasure changes. */
const shares = new Set(["registered_devices", "engagement", "reach"]);

/** A person with two devices that has done everything there is, beside another one. */
export const personWorld = Effect.gen(function* () {
  const world = yield* webhookWorld;
  const { platform, production, workspace, waypost } = world;
  const people = `/workspaces/${workspace.id}/production/people`;
  const person = `${people}/${encodeURIComponent(userId)}`;

  const location = yield* production.location();
  const campaign = yield* production.campaign({ location_ids: [location] });
  const notification = yield* production.notification(campaign, {
    type: "survey",
    template: "liquid",
    headline: "Hello {{ device.attributes.name }}",
    questions: [
      { question_text: "Why?", type: "OPEN_ENDED" },
      { question_text: "What?", type: "SINGLE_CHOICE", choices: [{ text: "Bread" }, { text: "Fish" }] },
      { question_text: "How much?", type: "NUMBER" },
    ],
  });
  const registration = {
    user_id: userId,
    attributes: { name: traces.attribute },
    locale: traces.locale,
    app_version: traces.version,
  };
  const phone = yield* production.phone(traces.installation, registration);
  const tablet = yield* production.phone(traces.second, registration);
  const other = yield* production.phone("somebody-else", { user_id: "zuzu" });

  const visit = Effect.fnUntraced(function* (device: typeof phone, text: string) {
    const [message] = (yield* device.sees("enter", location)).deliveries;
    yield* device.sees("exit", location);
    yield* device.ask(`/messages/${message.id}/clicked`, { method: "POST" });
    const [why, what, much] = message.questions;
    const answers = [
      { question_id: why.id, value: text },
      { question_id: what.id, value: "Fish" },
      { question_id: much.id, value: 12.5 },
    ];
    yield* device.ask(`/messages/${message.id}/answers`, { body: { answers } });
    const position = { latitude: 52.37, longitude: 4.9, recorded_at: "2026-11-21T12:00:00Z" };
    yield* device.ask("/positions", { body: { positions: [position] } });
    return message;
  });
  yield* visit(phone, traces.text);
  // A text with the shape of an id is counted by its value.
  yield* visit(tablet, randomUUID());
  yield* visit(other, "zother text");

  // A rule that names the person.
  const rule = {
    match: "any",
    conditions: Object.entries({ in: [userId, "zuzu"], eq: userId, contains: userId }).map(([op, value]) => ({
      attribute: "user_id",
      op,
      value,
    })),
  };
  const segment = yield* platform("/segments", {
    body: { name: "Both", rule },
    headers: { "idempotency-key": randomUUID() },
  });
  /** The tablet gets an address, and a push to it fails with the address in the reason. */
  const failedPush = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const push = { transport: "fcm", token: traces.token };
    yield* production.register(traces.second, { platform: "android", ...registration, push }, tablet.token);
    yield* tablet.sees("enter", location);
    yield* Effect.orDie(sql`
      UPDATE delivery SET last_error = 'The push service refused ' || ${traces.token}::text
      WHERE workspace_id = ${production.workspaceId} AND transport = 'fcm' AND status = 'failed'`);
  });

  const names = ["summary", "campaigns", "locations", "notifications", "surveys", "interactions"];
  const range = "start=2026-11-20&end=2026-11-22";
  /** All reports, without the number of registered devices and what is a share of it. */
  const reports = Effect.gen(function* () {
    const answers: Array<unknown> = [];
    for (const name of names) answers.push((yield* platform(`/reports/${name}?${range}`)).body);
    const survey = `/campaigns/${campaign}/notifications/${notification}`;
    answers.push((yield* platform(`${survey}/results?${range}`)).body);
    return JSON.parse(
      JSON.stringify(answers, (key, value: unknown) => (shares.has(key) ? undefined : value)),
    ) as ReadonlyArray<unknown>;
  });

  return {
    ...world,
    location,
    campaign,
    notification,
    segment: segment.body.data.id as string,
    phone,
    tablet,
    other,
    person,
    people,
    failedPush,
    reports,
    tablesWith: (texts: ReadonlyArray<string>) => tablesWith(production.workspaceId, texts),
    operator: waypost.operator,
    erase: Effect.map(waypost.operator(person, { method: "DELETE" }), ({ body, status }) => [
      status,
      body.data,
    ]),
  };
});
