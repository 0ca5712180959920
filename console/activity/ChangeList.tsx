import { useState } from "preact/hooks";
import type { ActivityEntry } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";

type Changes = ActivityEntry["changes"];
type Json = Changes[string]["old"];

const maxShown = 4;

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

const Change = ({ change, name }: { readonly name: string; readonly change: Changes[string] }) => {
  const { new: after, old: before } = change;
  const isSecret = before === null && after === null;
  return (
    <li>
      <span class="change-name">{name}</span> {isSecret && <span class="quiet">changed</span>}
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
