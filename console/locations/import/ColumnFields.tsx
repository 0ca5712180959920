/** "Columns": what each column of a table is, beside the first rows of the table. */
import { Button } from "../../parts/Button.tsx";
import { CardSection } from "../../parts/CardSection.tsx";
import { type Column, DataTable } from "../../parts/DataTable.tsx";
import { SelectField, TextField } from "../../parts/form/Fields.tsx";
import { Form, useForm } from "../../parts/form/Form.tsx";
import type { ImportModel } from "./ImportModel.ts";
import {
  type ColumnMapping,
  importFields,
  type ImportTable,
  isComplete,
  type TableRow,
} from "./ImportTable.ts";

const shownRows = 3;
const required = new Set(["name", "latitude", "longitude"]);

/** The fields, one for each value of a location. */
export const ColumnFields = ({
  isChecked,
  mapping,
  model,
  table: { head, rows },
}: {
  readonly model: ImportModel;
  readonly table: ImportTable;
  readonly mapping: ColumnMapping;
  /** Whether the file was checked by these columns. */
  readonly isChecked: boolean;
}) => {
  const initial = Object.fromEntries(Object.entries(mapping).map(([field, value]) => [field, String(value)]));
  const form = useForm<Record<string, string>>({
    draft: null,
    initial: { ...initial, defaultRadius: mapping.defaultRadius || (mapping.radius === -1 ? "100" : "") },
    send: async (values) => model.check(mappingOf(values)),
  });
  const mappingOf = ({ defaultRadius = "", ...values }: Readonly<Record<string, string>>): ColumnMapping => ({
    ...mapping,
    ...Object.fromEntries(Object.entries(values).map(([field, value]) => [field, Number(value)])),
    defaultRadius,
  });
  const choices = head.cells.map((name, index) => ({
    value: String(index),
    text: name.trim() || `Column ${index + 1}`,
  }));
  const columns = head.cells.map((name, index): Column<TableRow> => ({
    key: String(index),
    heading: name.trim() || `Column ${index + 1}`,
    cell: ({ cells }) => cells[index],
  }));
  const isReady = isComplete(mappingOf(form.values.value));
  return (
    <CardSection title="Columns">
      <p class="quiet">
        Say which column of the file is what. The same column may be latitude and longitude.
      </p>
      <DataTable
        label="First rows"
        columns={columns}
        rows={rows.slice(0, shownRows)}
        rowKey={({ number }) => String(number)}
      />
      <Form model={form} label="Columns">
        <div class="column-fields">
          {importFields.map(([field, label]) => (
            <SelectField
              key={field}
              {...form.field(field)}
              label={label}
              choices={[
                { value: "-1", text: required.has(field) ? "Choose a column" : "Not in the file" },
                ...choices,
              ]}
            />
          ))}
          <TextField
            {...form.field("defaultRadius")}
            label="Default radius"
            hint="Metres, for rows without one"
            inputMode="decimal"
          />
        </div>
        <div class="actions">
          <Button type="submit" variant={isChecked ? "secondary" : "primary"} isDisabled={!isReady}>
            {isChecked ? "Check again" : "Check the file"}
          </Button>
          {!isChecked && <Button onPress={() => model.reset()}>Choose another file</Button>}
        </div>
      </Form>
    </CardSection>
  );
};
