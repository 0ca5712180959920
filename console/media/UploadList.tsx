/** The list of files that are uploaded. */
import { Button } from "../parts/Button.tsx";
import { formatCount, formatPercent } from "../parts/DisplayFormats.ts";
import { ProgressBar } from "../parts/ProgressBar.tsx";
import { clearUploads, retryUpload, type UploadedFile, uploads, uploadScope } from "./Uploads.ts";

const stateText = ({ part, state }: UploadedFile): string => {
  if (state === "waiting") return "waits";
  if (state === "done") return "uploaded";
  if (state === "refused") return "refused";
  return part < 1 ? formatPercent(Math.floor(part * 100)) : "is checked";
};

const Row = ({ upload }: { readonly upload: UploadedFile }) => {
  const { file, isTemporary, key, part, reasons, state } = upload;
  return (
    <li class={`upload upload-${state}`}>
      <p class="upload-name">{file.name}</p>
      {state === "sending" ? (
        <ProgressBar label={`Upload of ${file.name}`} done={part} total={1} text={stateText(upload)} />
      ) : (
        <p class="upload-state">{stateText(upload)}</p>
      )}
      {reasons.map((reason) => (
        <p class="problem" key={reason}>
          {reason}
        </p>
      ))}
      {isTemporary && state === "refused" && (
        <Button label={`Try again: ${file.name}`} onPress={() => retryUpload(key)}>
          Try again
        </Button>
      )}
    </li>
  );
};

/** Files that are uploaded to this workspace and environment, and refused ones. */
export const UploadList = () => {
  const shown = uploads.value.filter(({ scope }) => scope === uploadScope());
  if (shown.length === 0) return null;
  const done = shown.filter(({ state }) => state === "done").length;
  const refused = shown.filter(({ state }) => state === "refused").length;
  const summary = [`${done} of ${formatCount(shown.length, "file")} uploaded`];
  if (refused > 0) summary.push(`${refused} refused`);
  return (
    <section class="card uploads" aria-labelledby="uploads">
      <div class="card-head">
        <h2 id="uploads">Uploads</h2>
        <p role="status">{summary.join(", ")}</p>
        {done + refused === shown.length && (
          <Button variant="plain" onPress={clearUploads}>
            Clear the list
          </Button>
        )}
      </div>
      <ul tabIndex={0} aria-label="Files">
        {shown.map((each) => (
          <Row key={each.key} upload={each} />
        ))}
      </ul>
    </section>
  );
};
