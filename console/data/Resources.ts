/** The resources of the interfaces as they are on the wire, by the API's names. Types only. */
import type { ReportRange } from "../../src/client/generated/PlatformEndpoints.ts";
import type { ConsoleSession as ConsoleSessionSchema } from "../../src/console/ConsoleSession.ts";

export type {
  ApnsCredentials,
  Erasure,
  HealthReport,
  ListedSession,
  SdkKey,
  ServiceAccount,
  Token,
  Transport,
  TransportTest,
  Workspace,
} from "../../src/client/generated/OperatorEndpoints.ts";
export type * from "../../src/client/generated/PlatformEndpoints.ts";

/** Who is signed in. */
export type ConsoleSession = (typeof ConsoleSessionSchema)["Encoded"];

/** A page of a list. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>;
  readonly meta: { readonly next_cursor: string | null };
}

/** One resource. */
export interface One<Item> {
  readonly data: Item;
}

/** A report with its range. */
export interface Report<Data> {
  readonly data: Data;
  readonly meta: ReportRange;
}

/** An ability of a session. */
export type Ability = ConsoleSession["abilities"][number];
/** One of the two environments of a workspace. */
export type Environment = "production" | "sandbox";
