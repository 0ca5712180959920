/** The fields of the campaign editor. */
import { FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import type { FormModel } from "../parts/form/Form.tsx";
import { PickList } from "../parts/form/PickList.tsx";
import { ZoneField } from "../parts/form/ZoneField.tsx";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import type { CampaignValues } from "./CampaignForm.ts";
import { CampaignPacing } from "./CampaignPacing.tsx";
import { PickMap } from "./PickMap.tsx";
import { useLocationGroups, useLocations, useSegments } from "./TargetLists.ts";

interface FieldsProps {
  readonly form: FormModel<CampaignValues>;
}

const types = [
  { value: "geo", text: "Geo" },
  { value: "push", text: "Push" },
  { value: "event", text: "Event" },
];
const typeHints = {
  geo: "Geo: when a device enters or leaves a location.",
  push: "Push: at fixed times on the day of the start.",
  event: "Event: when an app or a server reports an event of its own.",
} as const;
const matches = [
  { value: "any", text: "Any of the segments" },
  { value: "all", text: "All of the segments" },
];

const Dates = ({ form }: FieldsProps) => {
  const { type } = form.values.value;
  const isLong = type !== "push";
  return (
    <>
      <ZoneField
        {...form.field("timezone")}
        label="Time zone"
        hint="The times of this campaign are in this zone."
      />
      <div class="field-pair">
        <TextField
          {...form.field("starts_at")}
          label="Starts at"
          placeholder="YYYY-MM-DD HH:MM"
          hint={isLong ? "A day, or a day and a time." : "The day on which its notifications are sent."}
        />
        {isLong && (
          <TextField
            {...form.field("ends_at")}
            label="Ends at"
            placeholder="YYYY-MM-DD HH:MM"
            hint="A day includes all of it. Empty: no end."
          />
        )}
      </div>
    </>
  );
};

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
        search={locations.search}
        onSearch={locations.onSearch}
        found={locations.found}
        hasMore={locations.hasMore}
        known={locations.known}
        chosen={chosen}
        onChosen={choose}
        empty={locations.items === undefined && may("locations:read") ? "Loading…" : <NoLocations />}
      >
        {(locations.items?.length ?? 0) > 0 && (
          <PickMap locations={locations.locations} chosen={chosen} onChosen={choose} />
        )}
      </PickList>
      <PickList
        label="Location groups"
        name="location_group_ids"
        searchLabel="Search location groups"
        hint="Locations that join a group later count too."
        search={locationGroups.search}
        onSearch={locationGroups.onSearch}
        found={locationGroups.found}
        hasMore={locationGroups.hasMore}
        known={locationGroups.known}
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
      search={segments.search}
      onSearch={segments.onSearch}
      found={segments.found}
      hasMore={segments.hasMore}
      known={segments.known}
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

/** All fields of a campaign. */
export const CampaignFields = ({ form }: FieldsProps) => {
  const { type } = form.values.value;
  return (
    <>
      <TextField {...form.field("name")} label="Name" />
      <SelectField {...form.field("type")} label="Type" hint={typeHints[type]} choices={types} />
      <Dates form={form} />
      <CampaignPacing form={form} />
      {type === "geo" ? (
        <>
          <Locations form={form} />
          <FieldGroup
            label="Segments"
            hint="Segments are for push campaigns. A geo campaign is for every device."
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
      )}
    </>
  );
};
