import { useId } from "preact/hooks";
import type { Ability } from "../data/Resources.ts";
import { CheckField } from "../parts/form/Fields.tsx";
import { useFieldProblems } from "../parts/form/Form.tsx";

interface AbilityFieldsProps {
  readonly all: ReadonlyArray<Ability>;
  readonly chosen: ReadonlyArray<Ability>;
  readonly onChosen: (chosen: ReadonlyArray<Ability>) => void;
}

/** The abilities of a token as checkboxes, under the names of the API. */
export const AbilityFields = ({ all, chosen, onChosen }: AbilityFieldsProps) => {
  const id = useId();
  const problems = useFieldProblems("abilities");
  const isInvalid = problems.length > 0;
  return (
    <fieldset class="field-group" aria-describedby={isInvalid ? `${id}-problem` : undefined}>
      <legend>Abilities</legend>
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
