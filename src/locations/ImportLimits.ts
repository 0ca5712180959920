/** Limits of imports, without a library, as the import thread needs them too. */

/** The smallest radius of a circle, in metres. */
export const MIN_RADIUS_METERS = 50;

/** The largest radius of a circle, in metres. */
export const MAX_RADIUS_METERS = 1000;

/** The maximum number of features of one import (contract G4). */
export const MAX_FEATURES = 10_000;
