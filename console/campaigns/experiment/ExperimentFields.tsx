/** "Holdout" and "Goal" of a campaign, with a sentence that says what they cost. */
import { useEffect, useState } from "preact/hooks";
import { platform } from "../../data/Api.ts";
import { send } from "../../data/ApiCall.ts";
import { usePaused } from "../../data/Paused.ts";
import { FieldGroup, SelectField, TextField } from "../../parts/form/Fields.tsx";
import type { FormModel } from "../../parts/form/Form.tsx";
import { PickList } from "../../parts/form/PickList.tsx";
import { may } from "../../session/SessionState.ts";
import { type CampaignValues, targetingOf } from "../CampaignForm.ts";
import { goals } from "./ExperimentWords.ts";
import { holdoutText } from "../PublishSummary.tsx";
import { useLocationGroups, useLocations } from "../TargetLists.ts";

interface FieldsProps {
  readonly form: FormModel<CampaignValues>;
}

const choices = [
  { value: "", text: "No goal" },
  ...Object.entries(goals).map(([value, [text]]) => ({ value, text })),
];

/** The number of devices that the campaign is for; null until it is known. */
const useAudience = (values: CampaignValues): number | null => {
  const [devices, setDevices] = useState<number | null>(null);
  const targeting = usePaused(JSON.stringify(targetingOf(values)));
  useEffect(() => {
    let isGone = false;
    send(platform.estimates.estimate(JSON.parse(targeting) as ReturnType<typeof targetingOf>)).then(
      ({ data }) => void (isGone || setDevices(data.devices)),
      // The targets are not complete.
      () => void (isGone || setDevices(null)),
    );
    return () => void (isGone = true);
  }, [targeting]);
  return devices;
};

const GoalLocations = ({ form }: FieldsProps) => {
  const { goal_location_group_ids: chosenGroups, goal_location_ids: chosen } = form.values.value;
  const locations = useLocations(chosen);
  const groups = useLocationGroups();
  const empty = may("locations:read") ? "There are none." : "Your access key may not list locations.";
  return (
    <>
      <PickList
        label="Locations of the goal"
        name="goal.location_ids"
        searchLabel="Search locations of the goal"
        hint="Without a location or a group a visit to any location counts."
        {...locations}
        chosen={chosen}
        onChosen={(ids) => form.set({ goal_location_ids: ids })}
        empty={empty}
      />
      <PickList
        label="Location groups of the goal"
        name="goal.location_group_ids"
        searchLabel="Search location groups of the goal"
        {...groups}
        chosen={chosenGroups}
        onChosen={(ids) => form.set({ goal_location_group_ids: ids })}
        empty={empty}
      />
    </>
  );
};

/** Who gets nothing, so that the others can be compared with them, and what is compared. */
export const ExperimentFields = ({ form }: FieldsProps) => {
  const values = form.values.value;
  const devices = useAudience(values);
  const cost = holdoutText(values.holdout_percent, devices);
  return (
    <>
      <FieldGroup
        label="Holdout"
        hint="Some people get nothing, chosen by chance. What they do shows what the campaign does."
      >
        <TextField
          {...form.field("holdout_percent")}
          label="Percent of people"
          placeholder="0"
          inputMode="decimal"
        />
      </FieldGroup>
      <p class="quiet" role="status">
        {cost}
        {cost !== "" && values.goal_type === "" && " Choose a goal, or nothing can be compared."}
      </p>
      <FieldGroup label="Goal" hint="What people are to do. It is counted for everyone in the experiment.">
        <SelectField {...form.field("goal_type", "goal")} label="It worked if" choices={choices} />
        {values.goal_type !== "" && (
          <TextField
            {...form.field("goal_hours", "goal.within_hours")}
            label="Within hours"
            inputMode="numeric"
          />
        )}
        {values.goal_type === "event" && (
          <TextField
            {...form.field("goal_event", "goal.event")}
            label="Name of the event"
            placeholder="order.placed"
          />
        )}
      </FieldGroup>
      {values.goal_type === "visit" && <GoalLocations form={form} />}
    </>
  );
};
