/** "Import locations": a dry run of a file, its refused features on a map and in a list, then the import. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { locationFileExtensions } from "../../../src/client/location-files/FileFormat.ts";
import { Button, ButtonLink } from "../../parts/Button.tsx";
import { CardSection } from "../../parts/CardSection.tsx";
import { formatCount, formatNumber } from "../../parts/DisplayFormats.ts";
import { ConfirmDialog } from "../../parts/Dialog.tsx";
import { DropZone } from "../../parts/DropZone.tsx";
import { PointMap } from "../../parts/map/PointMap.tsx";
import { PageFrame, ProblemText } from "../../parts/PageFrame.tsx";
import { ProgressBar } from "../../parts/ProgressBar.tsx";
import { addressOf } from "../../routing/Router.ts";
import { environment, workspaceId } from "../../session/Scope.ts";
import { ColumnFields } from "./ColumnFields.tsx";
import { ImportModel, type ImportState } from "./ImportModel.ts";
import { OutcomeTable } from "./OutcomeTable.tsx";
import { importWarnings } from "./ImportWarnings.ts";

const accepted = [...locationFileExtensions, ".txt", ".xlsx", "application/geo+json", "text/csv"].join(",");

const Choice = ({ model }: { readonly model: ImportModel }) => (
  <DropZone
    action="Choose a file"
    accept={accepted}
    onFiles={([file]) => file !== undefined && void model.choose(file)}
  >
    <p>or drop it here: an Excel workbook (.xlsx), CSV, GeoJSON or GeoJSONL.</p>
    <p>
      A table has a row for each location, with columns such as <code>name, latitude, longitude, radius</code>
      . Other names are fine: you say which column is what.
    </p>
  </DropZone>
);

const Preview = ({ state }: { readonly state: ImportState }) => {
  const { accepted: good, refused } = state;
  const points = useMemo(
    () =>
      [...good, ...refused].flatMap(({ at, number, reasons }) =>
        at === null ? [] : [{ id: String(number), at, isBad: reasons.length > 0 }],
      ),
    [good, refused],
  );
  const labelOf = (id: string): string | undefined => {
    const found = [...refused, ...good].find(({ number }) => String(number) === id);
    return found && [found.name ?? "no name", ...found.reasons].join(": ");
  };
  return (
    <>
      <PointMap points={points} subject={state.file?.name ?? ""} labelOf={labelOf} />
      {refused.length > 0 && <p class="hint">On the map, what is refused is a ring.</p>}
    </>
  );
};

const countsText = ({ created, failed, skipped, updated }: ImportState["counts"], tense: "will" | "did") =>
  [
    `${formatNumber(created)} ${tense === "will" ? "to create" : "created"}`,
    `${formatNumber(updated)} ${tense === "will" ? "to update" : "updated"}`,
    `${formatNumber(skipped)} skipped`,
    `${formatNumber(failed)} refused`,
  ].join(" · ");

const Checked = ({ model, state }: { readonly model: ImportModel; readonly state: ImportState }) => {
  const { counts, file, resumed } = state;
  const count = counts.created + counts.updated;
  return (
    <CardSection title={file?.name ?? ""}>
      <p role="status">{countsText(counts, "will")}</p>
      {resumed > 0 && (
        <p class="notice">
          An import of this file was stopped after {formatCount(resumed, "feature")}. It resumes with the
          rest.
        </p>
      )}
      {count === 0 && resumed === 0 && <p class="quiet">There is nothing to import in this file.</p>}
      <div class="actions">
        {(count > 0 || resumed > 0) && (
          <Button variant="primary" onPress={() => void model.import()}>
            Import {formatCount(count, "location")}
          </Button>
        )}
        {resumed > 0 && <Button onPress={() => void model.startOver()}>Start over</Button>}
        <Button onPress={() => model.reset()}>Choose another file</Button>
      </div>
    </CardSection>
  );
};

const UndoDialog = ({
  model,
  onClose,
  state: { counts, created },
}: {
  readonly model: ImportModel;
  readonly state: ImportState;
  readonly onClose: () => void;
}) => (
  <ConfirmDialog
    title="Undo this import?"
    action={`Remove ${formatCount(created.length, "location")}`}
    isDangerous
    onConfirm={async () => void model.undo()}
    onClose={onClose}
  >
    <p>The {formatCount(created.length, "location")} that this import has created will be deleted.</p>
    {counts.updated > 0 && (
      <p>
        {counts.updated === 1
          ? "1 location that was there before and was updated stays as the file has it: its former values are"
          : `${formatNumber(counts.updated)} locations that were there before and were updated stay as ` +
            "the file has them: their former values are"}{" "}
        not kept.
      </p>
    )}
    <p>Groups that the import has made stay.</p>
  </ConfirmDialog>
);

const Running = ({ model, state }: { readonly model: ImportModel; readonly state: ImportState }) => {
  const { counts, created, done, file, removed, stage, total } = state;
  const [isAsked, setAsked] = useState(false);
  const isDone = stage === "done";
  return (
    <CardSection title={file?.name ?? ""}>
      <ProgressBar
        label="Import"
        done={done}
        total={total}
        text={`${formatNumber(done)} of ${formatCount(total, "feature")}`}
      />
      <p role="status">
        {isDone ? "Imported: " : stage === "stopped" ? "Stopped: " : ""}
        {countsText(counts, "did")}
      </p>
      {removed !== null && (
        <ProgressBar
          label="Undo"
          done={removed}
          total={created.length}
          text={`${formatNumber(removed)} of ${formatCount(created.length, "created location")} removed`}
        />
      )}
      <div class="actions">
        {stage === "importing" && <Button onPress={() => model.stop()}>Stop</Button>}
        {stage === "stopped" && (
          <Button variant="primary" onPress={() => void model.import()}>
            Resume
          </Button>
        )}
        {isDone && (
          <ButtonLink variant="primary" href={addressOf("/locations")}>
            Show locations
          </ButtonLink>
        )}
        {stage !== "importing" && created.length > 0 && removed === null && (
          <Button onPress={() => setAsked(true)}>Undo this import</Button>
        )}
        {stage !== "importing" && <Button onPress={() => model.reset()}>Choose another file</Button>}
      </div>
      {isAsked && <UndoDialog model={model} state={state} onClose={() => setAsked(false)} />}
    </CardSection>
  );
};

/** The import of a file. */
export const ImportPage = () => {
  const scope = `${workspaceId.value} ${environment.value}`;
  const model = useMemo(() => new ImportModel(), [scope]);
  useEffect(() => () => model.stop(), [model]);
  const state = model.state.value;
  const { accepted: good, done, mapping, problem, refused, stage, table } = state;
  const isTable = table !== null;
  const warned = useMemo(() => importWarnings(good, isTable ? "row" : "feature"), [good, isTable]);
  const columnFields = table !== null && mapping !== null && (
    <ColumnFields model={model} table={table} mapping={mapping} isChecked={stage === "checked"} />
  );
  return (
    <PageFrame
      title="Import locations"
      lead="A file is checked first. Nothing is written before you confirm."
      actions={<ButtonLink href={addressOf("/locations")}>Back to locations</ButtonLink>}
    >
      <ProblemText text={problem} />
      {stage === "choice" && <Choice model={model} />}
      {stage === "checking" && <p role="status">Checking the file: {formatNumber(done)} so far…</p>}
      {stage === "checked" && <Checked model={model} state={state} />}
      {(stage === "importing" || stage === "stopped" || stage === "done") && (
        <Running model={model} state={state} />
      )}
      {stage === "columns" && columnFields}
      {stage !== "choice" && stage !== "columns" && stage !== "checking" && (
        <>
          <OutcomeTable
            title={`${formatCount(refused.length, isTable ? "row" : "feature")} refused`}
            label={isTable ? "Refused rows" : "Refused features"}
            isTable={isTable}
            outcomes={refused}
          />
          <OutcomeTable
            title={`${formatCount(warned.length, isTable ? "row" : "feature")} to check`}
            label="Warnings"
            isTable={isTable}
            outcomes={warned}
          />
          {stage === "checked" && columnFields}
          <Preview state={state} />
        </>
      )}
    </PageFrame>
  );
};
