import { useId } from "preact/hooks";
import type { Ability } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { CheckField } from "../parts/form/Fields.tsx";
import { useFieldProblems } from "../parts/form/Form.tsx";

interface AbilityFieldsProps {
  readonly all: ReadonlyArray<Ability>;
  readonly chosen: ReadonlyArray<Ability>;
  readonly onChosen: (chosen: ReadonlyArray<Ability>) => void;
}

const isRead = (ability: Ability): boolean => ability.endsWith(":read");

/** The roles that most tokens are for. */
const presets: ReadonlyArray<readonly [name: string, isIn: (ability: Ability) => boolean]> = [
  ["Viewer", isRead],
  ["Editor", (ability) => isRead(ability) || !/^(?:webhooks|devices):/.test(ability)],
  ["Admin", () => true],
];

/** The abilities of a token as checkboxes, under the names of the API. */
export const AbilityFields = ({ all, chosen, onChosen }: AbilityFieldsProps) => {
  const id = useId();
  const problems = useFieldProblems("abilities");
  const isInvalid = problems.length > 0;
  return (
    <fieldset class="field-group" aria-describedby={isInvalid ? `${id}-problem` : undefined}>
      <legend>Abilities</legend>
      <div class="actions" role="group" aria-label="Presets">
        {presets.map(([name, isIn]) => {
          const preset = all.filter(isIn);
          const isChosen = preset.length === chosen.length && preset.every((each) => chosen.includes(each));
          return (
            <Button key={name} isPressed={isChosen} onPress={() => onChosen(preset)}>
              {name}
            </Button>
          );
        })}
      </div>
      <p class="hint">
        A viewer sees everything, an editor changes campaigns, an admin also webhooks and devices.
      </p>
      <div class="abilities">
        {all.map((ability) => (
          <CheckField
            key={ability}
            label={ability}
            isChecked={chosen.includes(ability)}
            onValue={(isOn) =>
              onChosen(isOn ? [...chosen, ability] : chosen.filter((each) => each !== ability))
            }
          />
        ))}
      </div>
      {isInvalid && (
        <div class="problem" id={`${id}-problem`}>
          {problems.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      )}
    </fieldset>
  );
};
