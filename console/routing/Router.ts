/**
 * Addresses: the path below /console, and the parameters, which have the names of the API's. `workspace` and
 * `environment` are parameters too, so that every address can be shared.
 */
import { computed, signal } from "@preact/signals";

const base = "/console";

/** The current address. */
const current = signal({ path: location.pathname, search: location.search });

const read = (): void => {
  current.value = { path: location.pathname, search: location.search };
};
addEventListener("popstate", read);

/** The path below /console, such as `/campaigns`; `/` for the console itself. */
export const path = computed(() => {
  const below = current.value.path.slice(base.length).replace(/\/+$/, "");
  return below === "" ? "/" : below;
});

/** The parameters of the address. */
const parameters = computed(() => new URLSearchParams(current.value.search));

/** A parameter of the address; an empty text if it is not there. */
export const parameter = (name: string): string => parameters.value.get(name) ?? "";

/** Parameters to set; undefined and "" remove one. */
export type Changes = Readonly<Record<string, string | undefined>>;

const withChanges = (from: URLSearchParams, changes: Changes): string => {
  const next = new URLSearchParams(from);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === "") next.delete(name);
    else next.set(name, value);
  const text = next.toString();
  return text === "" ? "" : `?${text}`;
};

/** The address of a page in the current workspace and environment. */
export const addressOf = (page: string, changes: Changes = {}): string => {
  const { workspace, environment } = Object.fromEntries(parameters.value);
  const kept = new URLSearchParams();
  if (workspace !== undefined) kept.set("workspace", workspace);
  if (environment !== undefined) kept.set("environment", environment);
  return base + (page === "/" ? "" : page) + withChanges(kept, changes);
};

/** The current address with some parameters changed. */
export const changedAddress = (changes: Changes): string =>
  current.value.path + withChanges(parameters.value, changes);

/** Goes to an address of the console. Moves the focus to the page's heading unless it replaces the entry. */
export const navigate = (address: string, options: { readonly isReplaced?: boolean } = {}): void => {
  if (options.isReplaced === true) history.replaceState(null, "", address);
  else if (address !== location.pathname + location.search) history.pushState(null, "", address);
  const from = path.value;
  read();
  if (options.isReplaced !== true && from !== path.value) {
    scrollTo(0, 0);
    isFocusWanted = true;
  }
};

/** Sets parameters of the current page, such as a filter. The entry of the history is replaced. */
export const setParameters = (changes: Changes): void => {
  navigate(changedAddress(changes), { isReplaced: true });
};

let isFocusWanted = false;

/**
 * Whether the heading of a page that appears takes the focus, so that screen readers read the new page. A
 * page's program may still have to be loaded, so the page asks once it is there.
 */
export const takeFocus = (): boolean => {
  const isWanted = isFocusWanted;
  isFocusWanted = false;
  return isWanted;
};

/** Links of the console change the page without loading it again. */
export const followLinks = (event: MouseEvent): void => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
    return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || link.target !== "" || link.hasAttribute("download")) return;
  if (link.origin !== location.origin || !/^\/console(?:\/|$)/.test(link.pathname)) return;
  // A link within the page only scrolls.
  if (link.hash !== "") return;
  event.preventDefault();
  navigate(link.pathname + link.search);
};
