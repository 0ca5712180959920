/** "Who and where": the locations of a geo campaign, the segments of a push campaign. */
import { FieldGroup, SelectField } from "../parts/form/Fields.tsx";
import type { FormModel } from "../parts/form/Form.tsx";
import { PickList } from "../parts/form/PickList.tsx";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import type { CampaignValues } from "./CampaignForm.ts";
import { ExperimentFields } from "./experiment/ExperimentFields.tsx";
import { PickMap } from "./PickMap.tsx";
import { useLocationGroups, useLocations, useSegments } from "./TargetLists.ts";

interface FieldsProps {
  readonly form: FormModel<CampaignValues>;
}

const matches = [
  { value: "any", text: "Any of the segments" },
  { value: "all", text: "All of the segments" },
];

const mayNot = (what: string) => `Your access key may not list ${what}.`;

const NoLocations = () =>
  may("locations:read") ? (
    <>
      There are no locations yet. <a href={addressOf("/locations")}>Import or draw them first</a>: what you
      typed here is kept.
    </>
  ) : (
    <>{mayNot("locations")}</>
  );

const Locations = ({ form }: FieldsProps) => {
  const { location_group_ids: groups, location_ids: chosen } = form.values.value;
  const locations = useLocations(chosen);
  const locationGroups = useLocationGroups();
  const choose = (ids: ReadonlyArray<string>) => form.set({ location_ids: ids });
  return (
    <>
      <PickList
        label="Locations"
        name="location_ids"
        searchLabel="Search locations"
        hint="The notifications are for devices that enter or leave these locations."
        {...locations}
        chosen={chosen}
        onChosen={choose}
        empty={locations.items === undefined && may("locations:read") ? "Loading…" : <NoLocations />}
      >
        {(locations.items?.length ?? 0) > 0 && <PickMap chosen={chosen} onChosen={choose} />}
      </PickList>
      <PickList
        label="Location groups"
        name="location_group_ids"
        searchLabel="Search location groups"
        hint="Locations that join a group later count too."
        {...locationGroups}
        chosen={groups}
        onChosen={(ids) => form.set({ location_group_ids: ids })}
        empty={may("locations:read") ? "There are no groups. An import makes them." : mayNot("locations")}
      />
    </>
  );
};

const Segments = ({ form }: FieldsProps) => {
  const { segmentation_ids: chosen } = form.values.value;
  const segments = useSegments();
  return (
    <PickList
      label="Segments"
      name="segmentation_ids"
      searchLabel="Search segments"
      hint="Without a segment it is for every device."
      {...segments}
      chosen={chosen}
      onChosen={(ids) => form.set({ segmentation_ids: ids })}
      empty={may("segments:read") ? "There are no segments yet." : mayNot("segments")}
    >
      {chosen.length > 1 && (
        <SelectField {...form.field("segment_match")} label="Devices in" choices={matches} />
      )}
    </PickList>
  );
};

/** The targets of the type that is chosen. */
const Targets = ({ form }: FieldsProps) =>
  form.values.value.type === "geo" ? (
    <>
      <Locations form={form} />
      <FieldGroup
        label="Segments"
        hint="Segments are for push and event campaigns. A geo campaign is for every device."
      >
        {null}
      </FieldGroup>
    </>
  ) : (
    <>
      <Segments form={form} />
      <FieldGroup label="Locations" hint="Locations and their groups are for geo campaigns.">
        {null}
      </FieldGroup>
    </>
  );

/** Whom the campaign is for, and who of them gets nothing. */
export const WhoFields = ({ form }: FieldsProps) => (
  <>
    <Targets form={form} />
    <ExperimentFields form={form} />
  </>
);
