/**
 * Reads the body of an import while it arrives, and keeps only what an import reads (contract B3, G3, G4).
 */
import { maxJsonDepth } from "../../wire/BoundedJson.ts";
import type { JsonHandler } from "../../wire/JsonHandler.ts";
import { JsonScanner } from "../../wire/JsonScanner.ts";
import { tooManyValues } from "../geometry/FeatureRejection.ts";
import { MAX_FEATURES } from "../ImportLimits.ts";
import { JsonBuilder } from "./JsonBuilder.ts";

/** The maximum number of values in the coordinates of one feature: ten for each position of a polygon. */
const maxCoordinateValues = 100_000;

/** The maximum number of values in a member `crs`. */
const maxCrsValues = 100;

/** The members of the collection that an import reads, and what is wrong with the whole body. */
export interface CollectionFrame {
  /** `type`, `crs`, and `features`, which is an empty array for any array. Missing ones are left out. */
  readonly members: { readonly [name: string]: unknown };
  /** Whether there are more features than an import may have. What follows them was not read. */
  readonly hasTooMany: boolean;
  /** Whether there are two members `features`. */
  readonly isRepeated: boolean;
  /** Whether a value outside of the features nests too deep. */
  readonly isTooDeep: boolean;
}

/** A feature as `JSON.parse` would give it, with only the members that an import reads. */
export interface SentFeature {
  readonly feature: unknown;
  readonly isTooDeep: boolean;
}

type Members = { [name: string]: unknown };
type Role = "collection" | "features" | "feature" | "geometry" | "properties";

/** The members that are read, by the object they are in. */
const readMembers: { readonly [role in Role]: ReadonlySet<string> } = {
  collection: new Set(["type", "features", "crs"]),
  features: new Set(),
  feature: new Set(["type", "geometry", "properties", "crs"]),
  geometry: new Set(["type", "coordinates", "crs"]),
  properties: new Set(["name", "radius", "external_id", "group"]),
};

/**
 * Reads a FeatureCollection piece by piece and gives each of its first 10,000 features as it ends. What an
 * import does not read is checked to be JSON and not kept. Coordinates of more than 100,000 values are
 * replaced by `tooManyValues`. A value of the wrong kind is kept as an empty array or object.
 */
export class FeatureCollectionReader implements JsonHandler {
  readonly #scanner = new JsonScanner(this);
  readonly #onFeature: (sent: SentFeature) => void;
  /** The open objects and the list of features, from the collection inwards. */
  readonly #open: Array<{ readonly role: Role; readonly members: Members }> = [];
  readonly #collection: Members = {};
  /** The member whose value is next. */
  #key = "";
  /** Builds coordinates or `crs`; null between them. */
  #builder: JsonBuilder | null = null;
  #count = 0;
  #lists = 0;
  #isTooDeep = false;
  #isObject = false;

  constructor(onFeature: (sent: SentFeature) => void) {
    this.#onFeature = onFeature;
  }

  /** Reads the next piece of the text. @throws SyntaxError */
  push(piece: string): void {
    this.#scanner.push(piece);
  }

  /** Whether there are too many features, so that nothing more needs to be read. */
  get hasTooMany(): boolean {
    return this.#count > MAX_FEATURES;
  }

  /** Ends the text. Null if it is JSON, but not an object. @throws SyntaxError if it is not complete */
  end(): CollectionFrame | null {
    this.#scanner.end();
    this.#noteDepth();
    return this.#isObject ? this.frame : null;
  }

  /** The members so far. */
  get frame(): CollectionFrame {
    return {
      members: this.#collection,
      hasTooMany: this.hasTooMany,
      isRepeated: this.#lists > 1,
      isTooDeep: this.#isTooDeep,
    };
  }

  readonly openObject = (depth: number): boolean => {
    if (this.#builder !== null) return this.#builder.open({});
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#isObject = depth === 1;
      this.#open.push({ role: "collection", members: this.#collection });
      return true;
    }
    if (parent.role === "features") return this.#beginFeature();
    const members: Members = {};
    parent.members[this.#key] = members;
    if (this.#key === "crs") return this.#build(maxCrsValues, members, depth);
    if (parent.role !== "feature" || this.#key === "type") return false;
    this.#open.push({ role: this.#key === "geometry" ? "geometry" : "properties", members });
    return true;
  };

  readonly openArray = (depth: number): boolean => {
    if (this.#builder !== null) return this.#builder.open([]);
    const parent = this.#open.at(-1);
    if (parent === undefined) return false;
    const list: Array<unknown> = [];
    if (parent.role === "features") {
      // The array is read for its depth alone.
      this.#beginOther(list);
      return false;
    }
    parent.members[this.#key] = list;
    if (parent.role === "collection" && this.#key === "features") {
      this.#lists += 1;
      this.#noteDepth();
      this.#open.push({ role: "features", members: {} });
      return true;
    }
    if (this.#key === "crs") return this.#build(maxCrsValues, list, depth);
    const isCoordinates = parent.role === "geometry" && this.#key === "coordinates";
    return isCoordinates && this.#build(maxCoordinateValues, list, depth);
  };

  readonly close = (): void => {
    if (this.#builder !== null) {
      if (this.#builder.close()) this.#endBuilding(this.#builder);
      return;
    }
    const closed = this.#open.pop();
    if (closed?.role === "feature") this.#endFeature(closed.members);
    else if (closed?.role === "features") this.#scanner.containers.deepest = 0;
  };

  readonly key = (name: string): boolean => {
    if (this.#builder !== null) return this.#builder.setKey(name);
    this.#key = name;
    const parent = this.#open.at(-1);
    return parent !== undefined && readMembers[parent.role].has(name);
  };

  readonly value = (value: string | number | boolean | null): void => {
    if (this.#builder !== null) return this.#builder.add(value);
    const parent = this.#open.at(-1);
    if (parent?.role === "features") this.#beginOther(value);
    else if (parent !== undefined) parent.members[this.#key] = value;
  };

  #build(maxValues: number, container: Members | Array<unknown>, depth: number): boolean {
    this.#builder = new JsonBuilder(container, maxValues, maxJsonDepth - depth);
    return true;
  }

  #endBuilding({ isOversized }: JsonBuilder): void {
    this.#builder = null;
    const parent = this.#open.at(-1);
    if (isOversized && parent !== undefined) parent.members[this.#key] = tooManyValues;
  }

  #beginFeature(): boolean {
    this.#count += 1;
    if (this.#count > MAX_FEATURES) return false;
    this.#scanner.containers.deepest = 0;
    this.#open.push({ role: "feature", members: {} });
    return true;
  }

  #endFeature(feature: Members): void {
    this.#onFeature({ feature, isTooDeep: this.#scanner.containers.deepest > maxJsonDepth });
  }

  /** A feature that is no object. */
  #beginOther(feature: unknown): void {
    this.#count += 1;
    if (this.#count <= MAX_FEATURES) this.#onFeature({ feature, isTooDeep: false });
  }

  /** Notes the depth outside of the features, which count alone. */
  #noteDepth(): void {
    if (this.#scanner.containers.deepest > maxJsonDepth) this.#isTooDeep = true;
    this.#scanner.containers.deepest = 0;
  }
}
