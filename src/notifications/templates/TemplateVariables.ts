import { sizeOf, type TemplateRun, type TemplateValue } from "./TemplateRun.ts";

/** Reads a variable. */
export type ReadVariable = (run: TemplateRun) => TemplateValue;

/** The variables besides `device.attributes.*` and `event.*`, which have any name (contract O1, Z32). */
const variables: ReadonlyMap<string, ReadVariable> = new Map<string, ReadVariable>([
  ["device.platform", ({ values }) => values.device.platform],
  ["device.locale", ({ values }) => values.device.locale],
  ["device.timezone", ({ values }) => values.device.timezone],
  ["location.name", ({ values }) => values.location?.name],
  ["location.address", ({ values }) => values.location?.address],
  ["location.external_id", ({ values }) => values.location?.external_id],
  ["campaign.name", ({ values }) => values.campaign.name],
]);

/** The sentence about a variable that does not exist. */
export const unknownVariable = (name: string): string =>
  `there is no variable ${name}; there are device.attributes.<name>, event.<property>, ` +
  [...variables.keys()].join(", ");

/** A part of a variable's path: its name, or a value that is known when rendering. */
export type PathPart = string | number | ReadVariable;

/** All attributes: what a template reads if the name of one is known only when rendering. */
export const allAttributes = "device.attributes";

/** All properties of the event, likewise. */
export const allProperties = "event";

/** The name of the variable with this path. An element of an attribute is named as the attribute. */
export const variableName = (path: ReadonlyArray<PathPart>): string => {
  const [root, group, name] = path;
  if (root === allProperties) return typeof group === "function" ? allProperties : path.join(".");
  if (root !== "device" || group !== "attributes") return path.join(".");
  return typeof name === "function" ? allAttributes : `${allAttributes}.${name}`;
};

/** One element of an attribute: of a list by its index, `first` or `last`; `size` of a list or a text. */
const elementOf = (value: TemplateValue, part: TemplateValue): TemplateValue => {
  if (part === "size") return sizeOf(value);
  if (typeof value !== "object" || value === null) return undefined;
  if (part === "first") return value[0];
  if (part === "last") return value.at(-1);
  return typeof part === "number" ? value.at(part) : undefined;
};

const valueOf = (part: PathPart, run: TemplateRun): TemplateValue =>
  typeof part === "function" ? part(run) : part;

const own = (values: TemplateRun["values"]["device"]["attributes"], key: string): TemplateValue =>
  Object.hasOwn(values, key) ? values[key] : undefined;

const propertyOf =
  (name: PathPart): ReadVariable =>
  (run) =>
    own(run.values.event ?? {}, String(valueOf(name, run)));

/** The reader of a variable with this path; null if there is none. */
export const variableOf = (path: ReadonlyArray<PathPart>): ReadVariable | null => {
  const [root, group, name, ...elements] = path;
  if (root === allProperties) return path.length === 2 && group !== undefined ? propertyOf(group) : null;
  if (root !== "device" || group !== "attributes") return variables.get(path.join(".")) ?? null;
  if (name === undefined || elements.length > 1) return null;
  const [element] = elements;
  const attribute: ReadVariable = (run) => own(run.values.device.attributes, String(valueOf(name, run)));
  return element === undefined ? attribute : (run) => elementOf(attribute(run), valueOf(element, run));
};
