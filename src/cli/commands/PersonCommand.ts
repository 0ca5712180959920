import { Console, Effect } from "effect";
import { Argument, Command } from "effect/cli";
import { counted } from "../../wire/Text.ts";
import { environmentFlags, openEnvironment } from "../Lookups.ts";
import { operatorFlags } from "../Operator.ts";
import { printOne } from "../terminal/Output.ts";

const personFlags = {
  ...environmentFlags,
  person: Argument.String("person").pipe(Argument.withDescription("The user_id of the person, exactly")),
};

const exportPerson = Command.make(
  "export",
  personFlags,
  Effect.fn(function* (flags) {
    const { ask, at } = yield* openEnvironment(flags);
    const person = yield* ask((client) => client.people.export(...at, flags.person));
    yield* Console.log(JSON.stringify(person, null, 2));
  }),
).pipe(
  Command.withDescription("Print everything that is held about a person, as JSON"),
  Command.withExamples([
    { command: "waypost person export --workspace Acme --environment production customer-4711" },
  ]),
);

const erase = Command.make(
  "erase",
  personFlags,
  Effect.fn(function* (flags) {
    const { ask, at } = yield* openEnvironment(flags);
    const erased = yield* ask((client) => client.people.erase(...at, flags.person));
    yield* printOne(erased, erasedDevices);
  }),
).pipe(
  Command.withDescription(
    "Erase a person: devices, addresses, attributes, positions and the texts of answers. Reports keep " +
      "their figures",
  ),
  Command.withExamples([
    { command: "waypost person erase --workspace Acme --environment production customer-4711" },
  ]),
);

/** Says what an erasure did. */
export const erasedDevices = ({ devices }: { readonly devices: number }): string =>
  devices === 0 ? "There was nothing to erase." : `Erased ${counted(devices, "device")}.`;

/** `waypost person …` */
export const personCommand = Command.make("person").pipe(
  Command.withDescription("The people behind devices: what is held about them"),
  Command.withSubcommands([exportPerson, erase]),
  Command.withExamples([
    { command: "waypost person export --workspace Acme --environment production customer-4711" },
  ]),
  Command.withGlobalFlags(operatorFlags),
);
