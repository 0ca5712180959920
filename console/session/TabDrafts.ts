/**
 * Drafts of tabs: two tabs with the same form have a draft each. A tab takes over the draft that a closed one
 * left. A lock of the browser says which tabs are open; a browser without locks takes every other as closed.
 */
import { machineNow } from "../data/ServerTime.ts";
import { draftKeys, keepDraft, readDraft, withStorage } from "./Drafts.ts";

const nameKey = "waypost.tab";
const lockOf = (tab: string): string => `${nameKey}.${tab}`;
/** The page before, in the same tab, gives its lock back within this time. */
const lockMillis = 1_000;

const newName = (): string => `${Math.round(machineNow())}-${crypto.randomUUID()}`;

let tab = withStorage(() => sessionStorage.getItem(nameKey), null) ?? newName();
let openTabs: ReadonlySet<string> = new Set();

const readOpenTabs = async (): Promise<void> => {
  const { held = [] } = await navigator.locks.query();
  openTabs = new Set(held.map(({ name = "" }) => name));
};

/** Holds the lock of this tab's name until the page is left. False if another tab has the name. */
const holdName = (): Promise<boolean> =>
  new Promise((resolve) => {
    const signal = AbortSignal.timeout(lockMillis);
    const hold = () => {
      resolve(true);
      return new Promise<never>(() => undefined);
    };
    navigator.locks.request(lockOf(tab), { signal }, hold).catch(() => resolve(false));
  });

const begin = async (): Promise<void> => {
  // Browsers have locks only on encrypted and local addresses.
  if (isSecureContext) {
    // A duplicated tab begins with the name of the first.
    if (!(await holdName())) {
      tab = newName();
      await holdName();
    }
    await readOpenTabs();
    addEventListener("focus", () => void readOpenTabs());
  }
  withStorage(() => sessionStorage.setItem(nameKey, tab), undefined);
};

/** Resolves once this tab has its name. */
export const tabNamed: Promise<void> = begin();

/** The key of this tab's draft of a form. A draft that a closed tab left is moved to it. */
export const tabDraftKey = (form: string): string => {
  const own = `${form}@${tab}`;
  if (readDraft(own) !== undefined) return own;
  const left = draftKeys(`${form}@`)
    .toSorted()
    .findLast((key) => !openTabs.has(lockOf(key.slice(form.length + 1))));
  if (left !== undefined) {
    keepDraft(own, readDraft(left));
    keepDraft(left, undefined);
  }
  return own;
};
