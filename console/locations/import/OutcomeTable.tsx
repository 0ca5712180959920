/** Rows or features with sentences about them, in parts. */
import { useState } from "preact/hooks";
import { CardSection } from "../../parts/CardSection.tsx";
import { type Column, DataTable } from "../../parts/DataTable.tsx";
import { formatNumber } from "../../parts/DisplayFormats.ts";
import { PartPager } from "../../parts/PartPager.tsx";
import type { FeatureOutcome } from "./ImportRun.ts";

const partSize = 100;

const columns = (isTable: boolean): ReadonlyArray<Column<FeatureOutcome>> => [
  { key: "number", heading: isTable ? "Row" : "Number", cell: ({ number }) => formatNumber(number) },
  { key: "name", heading: "Name", cell: ({ name }) => name ?? <span class="quiet">no name</span> },
  {
    key: "reasons",
    heading: "Reason",
    cell: ({ reasons }) => reasons.map((reason) => <p key={reason}>{reason}</p>),
  },
];

/** The table; nothing if it has no rows. */
export const OutcomeTable = ({
  isTable,
  label,
  outcomes,
  title,
}: {
  readonly title: string;
  readonly label: string;
  readonly isTable: boolean;
  readonly outcomes: ReadonlyArray<FeatureOutcome>;
}) => {
  const [part, setPart] = useState(0);
  if (outcomes.length === 0) return null;
  return (
    <CardSection title={title}>
      <DataTable
        label={label}
        columns={columns(isTable)}
        rows={outcomes.slice(part * partSize, (part + 1) * partSize)}
        rowKey={({ number }) => String(number)}
      />
      <PartPager part={part} size={partSize} total={outcomes.length} onPart={setPart} />
    </CardSection>
  );
};
