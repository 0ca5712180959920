import { Console } from "effect";
import { counted } from "../../wire/Text.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { environmentFlags, textArgument } from "../Flags.ts";
import { openEnvironment } from "../Lookups.ts";
import { printOne } from "../terminal/Output.ts";

const personFlags = {
  ...environmentFlags,
  person: textArgument("person", "The user_id of the person, exactly"),
};

const exportPerson = command("export", {
  description: "Print everything that is held about a person, as JSON",
  examples: ["waypost person export --workspace Acme --environment production customer-4711"],
  flags: personFlags,
  *run(flags) {
    const { ask, at } = yield* openEnvironment(flags);
    const person = yield* ask((client) => client.people.export(...at, flags.person));
    yield* Console.log(JSON.stringify(person, null, 2));
  },
});

const erase = command("erase", {
  description:
    "Erase a person: devices, addresses, attributes, positions and the texts of answers. Reports keep " +
    "their figures",
  examples: ["waypost person erase --workspace Acme --environment production customer-4711"],
  flags: personFlags,
  *run(flags) {
    const { ask, at } = yield* openEnvironment(flags);
    const erased = yield* ask((client) => client.people.erase(...at, flags.person));
    yield* printOne(erased, erasedDevices);
  },
});

/** Says what an erasure did. */
export const erasedDevices = ({ devices }: { readonly devices: number }): string =>
  devices === 0 ? "There was nothing to erase." : `Erased ${counted(devices, "device")}.`;

/** `waypost person …` */
export const personCommand = operatorCommands("person", {
  description: "The people behind devices: what is held about them",
  examples: ["waypost person export --workspace Acme --environment production customer-4711"],
  commands: [exportPerson, erase],
});
