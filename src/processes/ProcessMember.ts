/** The role of a supervised process. */
import { Context, Data, Effect, Option, Schema } from "effect";
import type { SettingsRecord } from "../config/Settings.ts";

const Content = Schema.Struct({
  /** The name of the process in logs and metrics, such as `api-1`, or `worker`. */
  name: Schema.String,
  role: Schema.Literals(["api", "worker"]),
  /** Maximum connections for statements. */
  connections: Schema.Int,
  /** The embedded server, which the supervisor runs; null with `DATABASE_URL`. */
  database: Schema.NullOr(
    Schema.Struct({ socketPath: Schema.String, username: Schema.String, database: Schema.String }),
  ),
  /** For a process that does not listen: where the request processes do, such as `http://127.0.0.1:8080`. */
  address: Schema.NullOr(Schema.String),
});

/** A process of several: its part, and what its supervisor gives to it. */
export type Member = typeof Content.Type;

const FromText = Schema.fromJsonString(Content);

/** The private variable by which a supervisor starts a process. It is not a setting. */
const variable = "WAYPOST_SUPERVISED_PROCESS";

/** The part of this process. Null for one that runs alone, and for the supervisor. */
export const ProcessMember = Context.Reference<Member | null>("waypost/processes/ProcessMember", {
  defaultValue: () => null,
});

/** The name of the supervisor in its log and its metrics. */
export const supervisorName = "supervisor";

/** The name of this process in its log and its metrics; null for one that runs alone. */
export const ProcessName = Context.Reference<string | null>("waypost/processes/ProcessName", {
  defaultValue: () => null,
});

/** The environment of a process with a part. `record` has the settings of the supervisor. */
export const environmentOf = (member: Member, record: SettingsRecord): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(record).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  ),
  WAYPOST_ROLES: member.role,
  [variable]: Schema.encodeSync(FromText)(member),
});

/** Somebody else than a supervisor has set the private variable. */
export class NotSupervised extends Data.TaggedError("NotSupervised") {
  override readonly message = `${variable} is no setting: remove it from the environment of waypost serve.`;
}

/**
 * The part of this process, and its settings without the private variable. A supervisor has a channel to each
 * of its processes. Fails for a variable without one, or with another content.
 */
export const memberOf = (
  { [variable]: text, ...settings }: SettingsRecord,
  hasChannel: boolean,
): Effect.Effect<{ readonly member: Member | null; readonly settings: SettingsRecord }, NotSupervised> => {
  if (text === undefined) return Effect.succeed({ member: null, settings });
  const member = hasChannel ? Option.getOrNull(Schema.decodeOption(FromText)(text)) : null;
  return member === null ? Effect.fail(new NotSupervised()) : Effect.succeed({ member, settings });
};
