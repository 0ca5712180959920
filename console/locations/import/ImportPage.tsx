/** "Import locations": a dry run of a file, its refused features on a map and in a list, then the import. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { locationFileExtensions } from "../../../src/client/location-files/LocationFile.ts";
import { Button, ButtonLink } from "../../parts/Button.tsx";
import { CardSection } from "../../parts/CardSection.tsx";
import { type Column, DataTable } from "../../parts/DataTable.tsx";
import { formatCount, formatNumber } from "../../parts/DisplayFormats.ts";
import { DropZone } from "../../parts/DropZone.tsx";
import { PointMap } from "../../parts/map/PointMap.tsx";
import { PageFrame } from "../../parts/PageFrame.tsx";
import { PartPager } from "../../parts/PartPager.tsx";
import { ProgressBar } from "../../parts/ProgressBar.tsx";
import { addressOf } from "../../routing/Router.ts";
import { environment, workspaceId } from "../../session/Scope.ts";
import { ImportModel, type ImportState } from "./ImportModel.ts";
import type { FeatureOutcome } from "./ImportRun.ts";

const accepted = [...locationFileExtensions, ".txt", "application/geo+json", "text/csv"].join(",");
const refusedSize = 100;

const columns: ReadonlyArray<Column<FeatureOutcome>> = [
  { key: "number", heading: "Number", cell: ({ number }) => formatNumber(number) },
  { key: "name", heading: "Name", cell: ({ name }) => name ?? <span class="quiet">no name</span> },
  {
    key: "reasons",
    heading: "Reason",
    cell: ({ reasons }) => reasons.map((reason) => <p key={reason}>{reason}</p>),
  },
];

const Choice = ({ model }: { readonly model: ImportModel }) => (
  <DropZone
    action="Choose a file"
    accept={accepted}
    onFiles={([file]) => file !== undefined && void model.choose(file)}
  >
    <p>or drop it here: GeoJSON, GeoJSONL, or CSV with the columns</p>
    <p>
      <code>name, latitude, longitude, radius, external_id, group</code>
    </p>
  </DropZone>
);

const Refused = ({ refused }: { readonly refused: ReadonlyArray<FeatureOutcome> }) => {
  const [part, setPart] = useState(0);
  if (refused.length === 0) return null;
  return (
    <CardSection title={`${formatCount(refused.length, "feature")} refused`}>
      <DataTable
        label="Refused features"
        columns={columns}
        rows={refused.slice(part * refusedSize, (part + 1) * refusedSize)}
        rowKey={({ number }) => String(number)}
      />
      <PartPager part={part} size={refusedSize} total={refused.length} onPart={setPart} />
    </CardSection>
  );
};

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
      {refused.length > 0 && <p class="hint">On the map, a refused feature is a ring.</p>}
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

const Running = ({ model, state }: { readonly model: ImportModel; readonly state: ImportState }) => {
  const { counts, done, file, stage, total } = state;
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
        {stage !== "importing" && <Button onPress={() => model.reset()}>Choose another file</Button>}
      </div>
    </CardSection>
  );
};

/** The import of a file. */
export const ImportPage = () => {
  const scope = `${workspaceId.value} ${environment.value}`;
  const model = useMemo(() => new ImportModel(), [scope]);
  useEffect(() => () => model.stop(), [model]);
  const state = model.state.value;
  const { done, problem, refused, stage } = state;
  return (
    <PageFrame
      title="Import locations"
      lead="A file is checked first. Nothing is written before you confirm."
      actions={<ButtonLink href={addressOf("/locations")}>Back to locations</ButtonLink>}
    >
      {problem !== null && (
        <p class="notice notice-problem" role="alert">
          {problem}
        </p>
      )}
      {stage === "choice" && <Choice model={model} />}
      {stage === "checking" && <p role="status">Checking the file: {formatCount(done, "feature")} so far…</p>}
      {stage === "checked" && <Checked model={model} state={state} />}
      {(stage === "importing" || stage === "stopped" || stage === "done") && (
        <Running model={model} state={state} />
      )}
      {stage !== "choice" && stage !== "checking" && (
        <>
          <Refused refused={refused} />
          <Preview state={state} />
        </>
      )}
    </PageFrame>
  );
};
