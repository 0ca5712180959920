import fc from "fast-check";

// Random inputs are the same in every run: what fails once fails again, and nobody else's change fails for an unlucky draw.
fc.configureGlobal({ seed: 20_261_121 });
