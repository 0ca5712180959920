/** Two versions of something that somebody else changed meanwhile, side by side. */
import { Button } from "../Button.tsx";

/** A field that differs. */
export interface Difference {
  readonly field: string;
  readonly mine: string;
  readonly saved: string;
}

interface VersionConflictProps {
  /** The noun that was changed, such as "campaign". */
  readonly noun: string;
  readonly differences: ReadonlyArray<Difference>;
  /** The next save replaces the saved version. */
  readonly onKeep: () => void;
  /** Forgets what was typed. */
  readonly onTake: () => void;
}

const shown = (text: string) => (text === "" ? <span class="quiet">empty</span> : text);

/** Shows both versions and asks which one holds. Nothing is overwritten before that. */
export const VersionConflict = ({ differences, noun, onKeep, onTake }: VersionConflictProps) => (
  <section class="notice notice-problem conflict" aria-labelledby="conflict">
    <h2 id="conflict">Somebody else changed this {noun} meanwhile</h2>
    <p>Nothing was overwritten. Compare the two versions and choose which one to go on with.</p>
    <div class="table-scroll" tabIndex={0} role="group" aria-label="Both versions, table">
      <table>
        <caption class="unseen">Both versions</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Your version</th>
            <th scope="col">Saved version</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ field, mine, saved }) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td>{shown(mine)}</td>
              <td>{shown(saved)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <div class="actions">
      <Button onPress={onKeep}>Keep my version</Button>
      <Button onPress={onTake}>Take the saved version</Button>
    </div>
  </section>
);

/** The fields in which two versions differ, under their labels. */
export const differencesOf = <Values extends object, Name extends keyof Values>(
  mine: Values,
  saved: Values,
  labels: ReadonlyArray<readonly [field: Name, label: string]>,
  show: (value: Values[Name]) => string,
): ReadonlyArray<Difference> =>
  labels
    .filter(([field]) => JSON.stringify(mine[field]) !== JSON.stringify(saved[field]))
    .map(([field, label]) => ({ field: label, mine: show(mine[field]), saved: show(saved[field]) }));
