/** Something that waits to be sent to the server. Instants are in epoch milliseconds. */
export type Entry =
  | {
      readonly type: "event";
      /** Made before the first attempt, so the server counts the event once. */
      readonly id: string;
      readonly name: string;
      readonly properties: Readonly<Record<string, string | number | boolean>>;
      readonly at: number;
    }
  | {
      readonly type: "position";
      readonly latitude: number;
      readonly longitude: number;
      /** Radius of uncertainty in metres. */
      readonly accuracy: number;
      readonly at: number;
    }
  | { readonly type: "opened" | "clicked"; readonly message: string; readonly at: number }
  | {
      readonly type: "answers";
      readonly message: string;
      readonly answers: ReadonlyArray<{ readonly question_id: string; readonly value: unknown }>;
    }
  | { readonly type: "change"; readonly body: Profile };

/** The fields of a registration that can change. */
export interface Profile {
  readonly push?: object | null;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly locale?: string;
  readonly timezone?: string;
  readonly user_id?: string | null;
  readonly user_hash?: string | null;
  readonly subscribed?: boolean;
}

/** A profile after a change. Attributes merge by name, and null removes one. */
export const changed = (profile: Profile, change: Profile): Profile => {
  const attributes = Object.entries({ ...profile.attributes, ...change.attributes });
  return {
    ...profile,
    ...change,
    attributes: Object.fromEntries(attributes.filter(([, value]) => value !== null)),
  };
};

/** A profile without the fields that an attempt has taken from it, but for those that changed meanwhile. */
export const withoutLost = (profile: Profile, before: Profile, after: Profile): Profile =>
  Object.fromEntries(
    Object.entries(profile).filter(([name, value]) => {
      const field = name as keyof Profile;
      return field in after || JSON.stringify(value) !== JSON.stringify(before[field]);
    }),
  );

/** The maximum number of entries that wait. */
export const maxEntries = 1_000;

/** The index of the entry that makes room for another one: the oldest position, else the oldest. */
export const firstToDrop = (entries: ReadonlyArray<Pick<Entry, "type">>): number =>
  Math.max(
    0,
    entries.findIndex(({ type }) => type === "position"),
  );
