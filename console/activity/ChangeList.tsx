import { useState } from "preact/hooks";
import type { ActivityEntry } from "../data/Resources.ts";
import { plainName } from "../data/PlainWords.ts";
import { Button } from "../parts/Button.tsx";
import { formatInstant, formatNumber } from "../parts/DisplayFormats.ts";
import { workspace } from "../session/Scope.ts";

type Changes = ActivityEntry["changes"];
type Json = Changes[string]["old"];

const maxShown = 4;

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|\+00:00)$/;

const textOf = (value: Json): string => {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "string")
    return instant.test(value) ? formatInstant(value, workspace.value?.timezone ?? "UTC") : value;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(textOf).join(", ");
  return Object.entries(value as Readonly<Record<string, Json>>)
    .map(([name, each]) => `${plainName(name)}: ${textOf(each)}`)
    .join(", ");
};

const Change = ({ change, name }: { readonly name: string; readonly change: Changes[string] }) => {
  const { new: after, old: before } = change;
  const isSecret = before === null && after === null;
  return (
    <li>
      <span class="change-name">{plainName(name)}</span> {isSecret && <span class="quiet">changed</span>}
      {before !== null && <del>{textOf(before)}</del>}
      {before !== null && after !== null && " → "}
      {after !== null && <ins>{textOf(after)}</ins>}
    </li>
  );
};

/** The changed fields with their values before and after. Many are shown on demand. */
export const ChangeList = ({ changes }: { readonly changes: Changes }) => {
  const [isWhole, setWhole] = useState(false);
  const all = Object.entries(changes);
  const shown = isWhole ? all : all.slice(0, maxShown);
  if (all.length === 0) return <span class="quiet">none</span>;
  return (
    <>
      <ul class="changes">
        {shown.map(([name, change]) => (
          <Change key={name} name={name} change={change} />
        ))}
      </ul>
      {all.length > maxShown && (
        <Button variant="plain" isExpanded={isWhole} onPress={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show all ${all.length} fields`}
        </Button>
      )}
    </>
  );
};
