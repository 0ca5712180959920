/** Prints seeded recurrence rules, one a line with its first day: the input of `reference.py`. */
import { seededRules } from "../../test/time/SeededRules.ts";

const lines = [...seededRules(100_000)].map(({ first, text }) => `${first} ${text}\n`);
process.stdout.write(lines.join(""));
