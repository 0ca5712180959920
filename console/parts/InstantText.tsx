import { workspace } from "../session/Scope.ts";
import { formatInstant } from "./DisplayFormats.ts";

/** An instant in a time zone, by default the workspace's. A pointer shows its whole name. */
export const InstantText = ({ at, zone }: { readonly at: string; readonly zone?: string }) => {
  const shown = zone ?? workspace.value?.timezone ?? "UTC";
  return (
    <time dateTime={at} title={shown}>
      {formatInstant(at, shown)}
    </time>
  );
};
