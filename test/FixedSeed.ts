import fc from "fast-check";

/** Random inputs are the same in every run: what fails once fails again, and no change fails for an unlucky draw. */
export const fixedSeed = 20_261_121;

fc.configureGlobal({ seed: fixedSeed });
