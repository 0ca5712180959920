/** The messages between the main thread and the import thread. */
import type { RejectedFeature } from "../GeoJsonImport.ts";
import type { ImportedLocation } from "../ImportedLocation.ts";
import type { CollectionFrame } from "./FeatureCollectionReader.ts";

/** A feature as the import thread gives it. */
export type ImportedFeature = ImportedLocation | RejectedFeature;

/** Messages to the import thread: the pieces of a body, in their order, then its end. */
export type ImportRequest =
  | { readonly _tag: "piece"; readonly body: number; readonly bytes: Uint8Array }
  | { readonly _tag: "end"; readonly body: number }
  /** Nothing more of the body follows. It has no answer. */
  | { readonly _tag: "close"; readonly body: number };

/** The answer to each piece and to the end of a body. */
export type ImportAnswer =
  | { readonly _tag: "features"; readonly body: number; readonly features: ReadonlyArray<ImportedFeature> }
  /** No more of the body is needed. The frame is null if it is JSON, but not an object. */
  | { readonly _tag: "read"; readonly body: number; readonly frame: CollectionFrame | null }
  | { readonly _tag: "unreadable"; readonly body: number; readonly problem: "json" | "utf8" | "empty" };
