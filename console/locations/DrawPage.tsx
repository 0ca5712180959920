/** "Draw a location": a circle by its fields, or a polygon drawn on the map or pasted. */
import { platform } from "../data/Api.ts";
import { ApiProblem, send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { SelectField, TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { PageFrame } from "../parts/PageFrame.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf, navigate } from "../routing/Router.ts";
import { environment, workspaceId } from "../session/Scope.ts";
import {
  type DrawnLocation,
  drawnFeature,
  drawnShape,
  fieldOf,
  fieldsOfShape,
  newDrawing,
} from "./DrawnLocation.ts";
import { DrawMap } from "./DrawMap.tsx";
import { ShapeFields, ShapeHint } from "./ShapeFields.tsx";

const shapes = [
  { value: "circle", text: "Circle" },
  { value: "polygon", text: "Polygon" },
];

/** Imports the drawing as one feature. Its reasons are the problems of the fields. @throws ApiProblem */
const importDrawing = async (drawing: DrawnLocation, idempotencyKey: string): Promise<void> => {
  const collection = { type: "FeatureCollection", features: [drawnFeature(drawing)] } as const;
  const { data } = await send(platform.locations.import(collection, { idempotencyKey }));
  const [result] = data.results;
  if (result?.status === "failed" || result?.status === "skipped") {
    const fields: Record<string, Array<string>> = {};
    for (const reason of result.reasons ?? []) (fields[fieldOf(reason, drawing)] ??= []).push(reason);
    throw new ApiProblem(422, "validation_failed", "The location was refused.", fields);
  }
  await refresh();
  showToast(result?.status === "updated" ? "The location was updated." : "The location was created.");
  navigate(addressOf("/locations", { location: result?.id }));
};

const DrawForm = () => {
  const form = useForm<DrawnLocation>({ draft: "location-new", initial: newDrawing, send: importDrawing });
  const drawing = form.values.value;
  const shape = drawnShape(drawing);
  return (
    <div class="draw">
      <Form model={form} label="Location">
        <TextField {...form.field("name")} label="Name" />
        <SelectField {...form.field("shape")} label="Shape" choices={shapes} />
        <ShapeFields field={form.field} set={form.set} values={drawing} />
        <TextField {...form.field("group")} label="Group" hint="Optional. A new name makes a new group." />
        <TextField
          {...form.field("externalId", "external_id")}
          label="External id"
          hint="Optional. Your own id; a location that has it is changed."
        />
        <div class="actions">
          <Button type="submit" variant="primary" isBusy={form.isSending.value}>
            Import 1 location
          </Button>
          <Button onPress={() => form.reset(newDrawing)}>Clear</Button>
        </div>
      </Form>
      <div class="draw-map">
        <ShapeHint shape={drawing.shape} isDrawn={shape !== undefined} />
        <DrawMap
          kind={drawing.shape}
          shape={shape}
          onCentre={([longitude, latitude]) =>
            form.set({ longitude: longitude.toFixed(6), latitude: latitude.toFixed(6) })
          }
          onShape={(drawn) => form.set(fieldsOfShape(drawn))}
        />
      </div>
    </div>
  );
};

/** A new location. */
export const DrawPage = () => (
  <PageFrame
    title="Draw a location"
    lead="A circle or a polygon on the map, which geo campaigns can target."
    actions={<ButtonLink href={addressOf("/locations")}>Back to locations</ButtonLink>}
  >
    <DrawForm key={`${workspaceId.value} ${environment.value}`} />
  </PageFrame>
);
