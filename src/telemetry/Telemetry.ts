import { Effect, Layer, Logger, Option, References, Tracer } from "effect";
import { Headers, HttpMiddleware } from "effect/http";
import { OtlpExporter, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability";
import { Settings } from "../config/Settings.ts";
import { ProcessName } from "../processes/ProcessMember.ts";
import { ExportClient } from "./ExportClient.ts";
import { batchedLogger, jsonLine, prettyLine } from "./LogLines.ts";
import { maskedTracer } from "./MaskedTracer.ts";
import { type Mask, secretMask } from "./SecretMasking.ts";

/** The resource of traces and metrics. Each of several processes on one machine is an instance of its own. */
const resourceOf = (processName: string | null) => ({
  serviceName: "waypost",
  ...(processName === null ? {} : { attributes: { "service.instance.id": processName } }),
});

/** The logger of a format. It writes to stderr: stdout is for the output of commands. */
const loggerFor = ({ logFormat }: Settings["Service"], mask: Mask) =>
  batchedLogger(
    logFormat === "json"
      ? jsonLine(mask)
      : prettyLine(mask, process.stderr.isTTY && !process.env["NO_COLOR"]),
    (text) => void process.stderr.write(text),
  );

/** Paths that monitoring polls. They start no traces. */
const untracedPaths = ["/health/live", "/health/ready", "/metrics"];

/** Headers that hold credentials. Traces redact them. */
const secretHeaders = ["authorization", "cookie", "set-cookie", "x-api-key", "x-device-token"];

/** Whether a span without a parent starts a trace. Statements that poll the database for work do not. */
const startsTrace = ({ kind, name }: Pick<Tracer.Span, "kind" | "name">): boolean =>
  kind !== "client" && !name.startsWith("sql.");

/**
 * A tracer that samples a share (0 to 1) of all traces. A trace starts with a request, or with work of a job.
 * A caller that sends `traceparent` decides for its own trace. `chance` returns numbers from 0 to 1.
 */
export const sampled = (
  tracer: Tracer.Tracer,
  share: number,
  chance: () => number = Math.random,
): Tracer.Tracer =>
  Tracer.make({
    span: (options) =>
      tracer.span(
        Option.isSome(options.parent) || !options.sampled
          ? options
          : { ...options, sampled: startsTrace(options) && chance() < share },
      ),
    ...(tracer.context === undefined ? {} : { context: tracer.context }),
  });

/** The telemetry of a process: its log, and traces and metrics over OTLP if an endpoint is set. */
export class Telemetry {
  /** Sends metrics and a share of the traces (0 to 1) to an OTLP receiver over http. */
  static readonly exporters = (
    endpoint: string,
    share: number,
    mask: Mask = secretMask(),
    processName: string | null = null,
  ) => {
    const resource = resourceOf(processName);
    return Layer.mergeAll(
      Layer.effect(
        Tracer.Tracer,
        Effect.map(OtlpTracer.make({ url: `${endpoint}/v1/traces`, resource }), (tracer) =>
          maskedTracer(sampled(tracer, share), mask),
        ),
      ),
      OtlpMetrics.layer({ url: `${endpoint}/v1/metrics`, resource }),
      HttpMiddleware.layerTracerDisabledForUrls(untracedPaths),
    ).pipe(Layer.provide([OtlpExporter.layerFlusher, OtlpSerialization.layerJson, ExportClient.layer]));
  };

  static readonly layer = Layer.unwrap(
    Effect.map(Effect.all([Settings, ProcessName]), ([settings, processName]) => {
      const mask = secretMask([settings.operatorKey, settings.secretKey]);
      return Layer.mergeAll(
        Logger.layer([loggerFor(settings, mask)]),
        Layer.succeed(Headers.CurrentRedactedNames, secretHeaders),
        Layer.succeed(References.MinimumLogLevel, settings.logLevel),
        processName === null
          ? Layer.empty
          : Layer.succeed(References.CurrentLogAnnotations, { process: processName }),
        settings.otlpEndpoint === undefined
          ? Layer.empty
          : Telemetry.exporters(settings.otlpEndpoint, settings.traceShare, mask, processName),
      );
    }),
  );
}
