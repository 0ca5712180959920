import { parameter } from "../routing/Router.ts";

/** The path of a page of a list: its filters and its cursor are parameters of the address. */
export const listPath = (path: string, filters: ReadonlyArray<string>, limit = 50): string => {
  const query = new URLSearchParams({ limit: String(limit) });
  for (const name of [...filters, "cursor"]) {
    const value = parameter(name);
    if (value !== "") query.set(name, value);
  }
  return `${path}?${query.toString()}`;
};
