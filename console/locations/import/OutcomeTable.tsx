/** Rows or features with sentences about them. */
import { CardSection } from "../../parts/CardSection.tsx";
import { type Column, DataTable } from "../../parts/DataTable.tsx";
import { formatNumber } from "../../parts/DisplayFormats.ts";
import type { FeatureOutcome } from "./ImportRun.ts";

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
}) =>
  outcomes.length === 0 ? null : (
    <CardSection title={title}>
      <DataTable
        label={label}
        columns={columns(isTable)}
        rows={outcomes}
        rowKey={({ number }) => String(number)}
      />
    </CardSection>
  );
