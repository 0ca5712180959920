import type { MediaKind } from "../workspaces/Plan.ts";
import pictures from "./BuiltInPictures.json" with { type: "json" };

/** The picture (400 × 400, WebP) for a file of this kind without a thumbnail of its own (contract H2). */
export const builtInPicture = (kind: MediaKind): Uint8Array => Buffer.from(pictures[kind], "base64");
