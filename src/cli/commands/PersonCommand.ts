import { Console } from "effect";
import { counted } from "../../wire/Text.ts";
import { commandOn, environmentTarget } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { textArgument } from "../Flags.ts";
import { inProduction } from "../Resource.ts";
import { printOne } from "../terminal/Output.ts";

const flags = { person: textArgument("person", "The user_id of the person, exactly") };

const exportPerson = commandOn(environmentTarget, "export", {
  description: "Print everything that is held about a person, as JSON",
  examples: [`waypost person export ${inProduction} customer-4711`],
  flags,
  *run(ask, { person }) {
    const held = yield* ask((client, ...at) => client.people.export(...at, person));
    yield* Console.log(JSON.stringify(held, null, 2));
  },
});

const erase = commandOn(environmentTarget, "erase", {
  description:
    "Erase a person: devices, addresses, attributes, positions and the texts of answers. Reports keep " +
    "their figures",
  examples: [`waypost person erase ${inProduction} customer-4711`],
  flags,
  *run(ask, { person }) {
    yield* printOne(yield* ask((client, ...at) => client.people.erase(...at, person)), erasedDevices);
  },
});

/** Says what an erasure did. */
export const erasedDevices = ({ devices }: { readonly devices: number }): string =>
  devices === 0 ? "There was nothing to erase." : `Erased ${counted(devices, "device")}.`;

/** `waypost person …` */
export const personCommand = operatorCommands("person", {
  description: "The people behind devices: what is held about them",
  examples: [`waypost person export ${inProduction} customer-4711`],
  commands: [exportPerson, erase],
});
