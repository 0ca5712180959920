/** The chosen location: what it is, and its changes. */
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { ApiProblem, type ApiRequest, send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Location } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { ConfirmButton } from "../parts/ConfirmButton.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { FactList } from "../parts/FactList.tsx";
import { TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import type { EditedShape } from "../parts/map/PointMap.tsx";
import { areaOf, centreOf, formatPosition } from "../parts/map/Shapes.ts";
import { showToast } from "../parts/Toasts.tsx";
import { setParameters } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { drawnGeometry, drawnShape, fieldOf, fieldsOfShape } from "./DrawnLocation.ts";
import { shapeText } from "./LocationList.tsx";
import { ShapeFields, ShapeHint } from "./ShapeFields.tsx";

interface Props {
  readonly location: Location;
}

interface EditProps extends Props {
  readonly onDone: () => void;
  /** Gives the map the shape that is changed; undefined after it. */
  readonly onEdited: (edited: EditedShape | undefined) => void;
}

/** The fields of a location as texts; its groups one on each line. */
const textsOf = ({ address, external_id: externalId, groups, name, ...shape }: Location) => ({
  name,
  address: address ?? "",
  external_id: externalId ?? "",
  groups: groups.join("\n"),
  ...fieldsOfShape(shape),
});
type EditedTexts = ReturnType<typeof textsOf>;

/**
 * The requests of a person's changes, the one that is refused most first. The rest of the location stays as
 * it is, also if somebody else changes it.
 */
const requestsOf = (
  { geometry: kept, id }: Location,
  before: EditedTexts,
  texts: EditedTexts,
  options: { readonly idempotencyKey: string },
): ReadonlyArray<ApiRequest<unknown>> => {
  const { address, external_id: externalId, groups, name } = texts;
  const isOther = (...keys: ReadonlyArray<keyof EditedTexts>) =>
    keys.some((key) => texts[key] !== before[key]);
  const { geometry, radius } = drawnGeometry(texts);
  const isMoved = isOther("latitude", "longitude", "coordinates");
  const shape = { geometry: isMoved ? geometry : kept, radius_meters: radius };
  const patch = {
    ...(isOther("name") && { name }),
    ...(isOther("address") && { address }),
    ...(isOther("external_id") && { external_id: externalId }),
  };
  const names = groups
    .split("\n")
    .map((group) => group.trim())
    .filter(Boolean);
  const { locations } = platform;
  return [
    ...(isMoved || isOther("radius") ? [locations.setShape(id, shape as SentShape, options)] : []),
    ...(Object.keys(patch).length > 0 ? [locations.update(id, patch, options)] : []),
    ...(isOther("groups") ? [locations.setGroups(id, { groups: names }, options)] : []),
  ];
};

/** The server says what is wrong with a shape that is typed. */
type SentShape = Parameters<typeof platform.locations.setShape>[1];

/** The problem with the sentences about the shape at its fields. */
const atFields = (error: unknown, texts: EditedTexts): unknown => {
  if (!(error instanceof ApiProblem)) return error;
  const fields: Record<string, ReadonlyArray<string>> = {};
  for (const [name, sentences] of Object.entries(error.fields)) {
    const [part = ""] = name.split(".");
    const field = part === "geometry" ? fieldOf(sentences.join(" "), texts) : part;
    fields[field] = [...(fields[field] ?? []), ...sentences];
  }
  return new ApiProblem(error.status, error.code, error.message, fields);
};

const EditForm = ({ location, onDone, onEdited }: EditProps) => {
  const initial = useMemo(() => textsOf(location), []);
  const form = useForm({
    draft: `location-${location.id}`,
    initial,
    send: async (texts, idempotencyKey) => {
      const requests = requestsOf(location, form.base.value, texts, { idempotencyKey });
      try {
        for (const request of requests) await send(request);
      } catch (error) {
        throw atFields(error, texts);
      } finally {
        await refresh();
      }
      showToast("Saved.");
      onDone();
    },
  });
  const texts = form.values.value;
  const shape = drawnShape(texts);
  useEffect(() => {
    onEdited({ shape, onShape: (changed) => form.set(fieldsOfShape(changed)) });
  }, [JSON.stringify(shape)]);
  useEffect(() => () => onEdited(undefined), []);
  return (
    <Form model={form} label={`Edit ${location.name}`}>
      <TextField {...form.field("name")} label="Name" />
      <TextField {...form.field("address")} label="Address" />
      <TextField
        {...form.field("external_id")}
        label="External id"
        hint="Your own id. An import with the same id updates this location."
      />
      <TextField
        {...form.field("groups")}
        label="Groups"
        hint="One on each line. A new name makes a new group."
        rows={Math.max(2, location.groups.length + 1)}
      />
      <ShapeHint shape={texts.shape} isDrawn isExisting />
      <ShapeFields
        field={(key) => form.field(key, key === "radius" ? "radius_meters" : key)}
        set={form.set}
        values={texts}
      />
      <div class="actions">
        <Button type="submit" variant="primary" isBusy={form.isSending.value}>
          Save
        </Button>
        <Button
          onPress={() => {
            form.reset(initial);
            onDone();
          }}
        >
          Cancel
        </Button>
      </div>
    </Form>
  );
};

const Delete = ({ location: { id, name } }: Props) => (
  <ConfirmButton
    title={`Delete “${name}”?`}
    action="Delete"
    request={platform.locations.delete(id)}
    done={`“${name}” was deleted.`}
    leadsTo="/locations"
  >
    <p>
      It is removed from its groups and from the campaigns that target it. What happened there is still in the
      totals of reports.
    </p>
  </ConfirmButton>
);

const formatArea = (area: number): string => formatNumber(Number(area.toPrecision(3)));

/** The chosen location. */
export const LocationDetails = ({ location, onEdited }: Omit<EditProps, "onDone">) => {
  const [isEdited, setEdited] = useState(false);
  const id = useId();
  // The link or the button that had the focus is gone with the list or the form.
  useEffect(() => {
    if (document.activeElement === document.body) document.getElementById(id)?.focus({ preventScroll: true });
  }, [isEdited]);
  const actions = (
    <div class="actions">
      {may("locations:write") && !isEdited && (
        <>
          <Button onPress={() => setEdited(true)}>Edit</Button>
          <Delete location={location} />
        </>
      )}
      <Button variant="plain" onPress={() => setParameters({ location: undefined })}>
        Close
      </Button>
    </div>
  );
  return (
    <CardSection title={location.name} actions={actions} id={id}>
      {isEdited ? (
        <EditForm location={location} onEdited={onEdited} onDone={() => setEdited(false)} />
      ) : (
        <FactList
          facts={[
            ["Shape", shapeText(location)],
            ["Latitude and longitude", formatPosition(centreOf(location))],
            ["Area", `${formatArea(areaOf(location))} km²`],
            ["Groups", location.groups.join(", ") || "none"],
            ["Address", location.address ?? "none"],
            ["External id", location.external_id ?? "none"],
            ["Last change", <InstantText key="at" at={location.updated_at} />],
          ]}
        />
      )}
    </CardSection>
  );
};
