import type { Ability } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { CheckGroup } from "../parts/form/CheckGroup.tsx";

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

/** The abilities of a token: a preset, or any of them under the names of the API. */
export const AbilityFields = (props: AbilityFieldsProps) => {
  const { all, chosen, onChosen } = props;
  return (
    <CheckGroup {...props} label="Abilities" name="abilities">
      <p class="hint">
        A viewer sees everything, an editor changes campaigns, an admin also webhooks and devices.
      </p>
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
    </CheckGroup>
  );
};
