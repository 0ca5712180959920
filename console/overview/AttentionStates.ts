/** Findings of the parts of "Needs attention". Only once all of them are known can it all be well. */
import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";

/** The number of things that a part names; undefined while it is loaded. */
type Found = number | undefined;

/** Reports what a part has found; null as the part leaves the page. */
export const FoundReport = createContext<(part: string, found: Found | null) => void>(() => undefined);

/** Reports what this part has found. */
export const useFound = (part: string, found: Found): void => {
  const report = useContext(FoundReport);
  useEffect(() => report(part, found), [part, found]);
  useEffect(() => () => report(part, null), [part]);
};
