import { changed, type Profile } from "../core/Entry.ts";

/** The settings of `start`. */
export interface StartOptions {
  /** The address of the Waypost server, such as `https://push.example.com`. */
  readonly url: string;
  /** The SDK key of the app: `wpk_…`. It only registers devices, so a page may show it. */
  readonly sdkKey: string;
  /** The path of the service worker on the page's own origin; `/waypost-worker.js` if left out. */
  readonly worker?: string;
  /** The person behind the browser, by the app's own id, with the proof that the workspace demands. */
  readonly userId?: string;
  readonly userHash?: string;
  /** Attributes for segments. They merge by name, and null removes one. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Language and time zone; those of the browser if left out. */
  readonly locale?: string;
  readonly timezone?: string;
}

/** A value as it is sent. @throws TypeError for one without JSON, for which the queue would wait for ever */
export const asJson = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A;

/** The profile that an app starts with; JSON has no field for what is left out. */
export const profileOf = ({ attributes, locale, timezone, userHash, userId }: StartOptions): Profile =>
  asJson<unknown>({
    locale: locale ?? navigator.language,
    timezone: timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    attributes,
    user_id: userId,
    user_hash: userHash,
  }) as Profile;

/** The fields of a profile that the stored one does not have. */
export const differing = (wanted: Profile, stored: Profile): Profile => {
  const merged = changed(stored, wanted);
  return Object.fromEntries(
    Object.entries(wanted).filter(([name]) => {
      const field = name as keyof Profile;
      return JSON.stringify(merged[field]) !== JSON.stringify(stored[field]);
    }),
  );
};
