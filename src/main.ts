#!/usr/bin/env node
import "effect/schema/SchemaJITCompiler/enable";
import { NodeRuntime } from "@effect/platform-node";
import { Effect, Layer } from "effect";
import { HttpServer } from "effect/http";
import { Config } from "./Config.ts";
import { MigrationFiles } from "./database/Migrations.ts";
import { waypostLayer } from "./Waypost.ts";

const migrations = MigrationFiles.layerFolder(new URL("../schema", import.meta.url));

const announce = Layer.effectDiscard(
  HttpServer.addressFormattedWith((address) =>
    Effect.sync(() => console.log(`Waypost is listening on ${address}`)),
  ),
);

Layer.launch(
  announce.pipe(Layer.provideMerge(waypostLayer), Layer.provide([Config.layer(process.env), migrations])),
).pipe(NodeRuntime.runMain);
