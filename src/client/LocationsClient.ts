import type { LocationResource } from "../locations/LocationResource.ts";
import { type Call, listed, type ListQuery } from "./Call.ts";
import type { Deleted } from "./CampaignsClient.ts";
import { type CallOptions, type ChangeOptions, slow } from "./Connection.ts";
import type { Answer, Body } from "./Contract.ts";
import { type FileSource, openFile } from "./FileSource.ts";
import type { Pages } from "./Pages.ts";

/** A location, as the service shows it. */
export type Location = LocationResource;

/** What of a location can be changed without importing it again. */
export type LocationPatch = Pick<Body<"locations", "update">, "name" | "address" | "external_id">;

/** A GeoJSON FeatureCollection to import. */
export type FeatureCollection = Body<"locations", "import">;

/** What became of each feature of an import. */
export type ImportReport = Answer<"locations", "import">;

/** Locations: made by imports; read, changed and deleted one by one. */
export class LocationsClient {
  readonly #call: Call;
  constructor(call: Call) {
    this.#call = call;
  }
  /** All locations, newest first. */
  list(query: ListQuery<"locations"> = {}, options?: CallOptions): Pages<Location> {
    const list = listed(query, (query) => this.#call(["locations", "list"], { query, options }));
    return list as Pages<Location>;
  }
  /** One location; `not_found` when there is none. */
  async get(id: string, options?: CallOptions): Promise<Location> {
    return (await this.#call(["locations", "get"], { ids: { location: id }, options })).data as Location;
  }
  /**
   * Creates or updates a location from each feature of a GeoJSON FeatureCollection, given as an object, a file's path or a `Blob`: at
   * most 10,000 features and 20 MiB. A bad feature fails alone: see `results` and their `reasons`. `dryRun` writes nothing.
   */
  async import(
    source: FeatureCollection | FileSource,
    options: ChangeOptions & { readonly dryRun?: boolean | undefined } = {},
  ): Promise<ImportReport> {
    const isFile = typeof source === "string" || source instanceof URL || source instanceof Blob;
    const body = isFile ? { raw: (await openFile(source, "application/geo+json")).blob } : { json: source };
    const query = { dry_run: options.dryRun === true ? "1" : undefined };
    return (await this.#call(["locations", "import"], { ...body, query, options: { ...slow, ...options } }))
      .data;
  }
  /** Changes the name, address or external id; what is left out stays. */
  async update(id: string, patch: LocationPatch, options?: ChangeOptions): Promise<Location> {
    return (await this.#call(["locations", "update"], { ids: { location: id }, json: patch, options }))
      .data as Location;
  }
  /** Deletes the location; what happened there stays in the reports' totals. */
  async delete(id: string, options?: ChangeOptions): Promise<Deleted> {
    return (await this.#call(["locations", "delete"], { ids: { location: id }, options })).data;
  }
}
