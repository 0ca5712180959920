/** Writes the table of lines that the check `rules` compares each room with. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { linesOfRooms, linesTable } from "./check/growth.ts";

const files = globSync("{src,console,test}/**/*.{ts,tsx}", { exclude: ["**/node_modules"] });
const lines = linesOfRooms(
  files.map((path) => ({ path: path.replaceAll("\\", "/"), text: readFileSync(path, "utf8") })),
);
writeFileSync(linesTable, `${JSON.stringify(lines, null, 2)}\n`);
console.log(`${linesTable}: ${Object.keys(lines).length} rooms.`);
