import type { LocationResource } from "../locations/LocationResource.ts";
import { EndpointGroup, type ListQuery } from "./Call.ts";
import type { Deleted } from "./CampaignsClient.ts";
import { type CallOptions, type ChangeOptions, slow } from "./Connection.ts";
import type { Answer, Body } from "./Contract.ts";
import { type FileSource, openFile } from "./FileSource.ts";
import type { Pages } from "./Pages.ts";

/** A location. */
export type Location = LocationResource;

/** The fields of a location that can be updated without an import. */
export type LocationPatch = Pick<Body<"locations", "update">, "name" | "address" | "external_id">;

/** A GeoJSON FeatureCollection to import. */
export type FeatureCollection = Body<"locations", "import">;

/** The result of an import, with one entry for each feature. */
export type ImportReport = Answer<"locations", "import">;

/** Locations. Imports create them; afterwards each can be read, updated and deleted. */
export class LocationsClient extends EndpointGroup {
  /** Lists all locations, newest first. */
  list(query: ListQuery<"locations"> = {}, options?: CallOptions): Pages<Location> {
    return this.pages(["locations", "list"], query, options) as Pages<Location>;
  }
  /** Retrieves a location. Rejects with the code `not_found` if it does not exist. */
  async get(id: string, options?: CallOptions): Promise<Location> {
    return (await this.data(["locations", "get"], { ids: { location: id }, options })) as Location;
  }
  /**
   * Creates or updates a location for each feature of a GeoJSON FeatureCollection: an object, the path of a
   * file (Node.js), or a `Blob`. It may have up to 10,000 features and 20 MiB. An invalid feature does not
   * affect the others; its `reasons` are in `results`. With `dryRun`, nothing is written.
   */
  async import(
    source: FeatureCollection | FileSource,
    options: ChangeOptions & { readonly dryRun?: boolean | undefined } = {},
  ): Promise<ImportReport> {
    const isFile = typeof source === "string" || source instanceof URL || source instanceof Blob;
    const body = isFile ? { raw: (await openFile(source, "application/geo+json")).blob } : { json: source };
    const query = { dry_run: options.dryRun === true ? "1" : undefined };
    return this.data(["locations", "import"], { ...body, query, options: { ...slow, ...options } });
  }
  /** Updates the name, the address or the external id. Fields that are left out do not change. */
  async update(id: string, patch: LocationPatch, options?: ChangeOptions): Promise<Location> {
    const input = { ids: { location: id }, json: patch, options };
    return (await this.data(["locations", "update"], input)) as Location;
  }
  /** Deletes a location. Its events still count in the totals of reports. */
  delete(id: string, options?: ChangeOptions): Promise<Deleted> {
    return this.data(["locations", "delete"], { ids: { location: id }, options });
  }
}
