/** Sums the metrics of several processes, in the text format of Prometheus. */

/** The metrics of one process. */
export interface ProcessMetrics {
  /** The value of the label `process`. */
  readonly process: string;
  readonly text: string;
  /** Whether the process has ended: its gauges count no longer. */
  readonly hasEnded?: boolean;
}

interface Family {
  readonly name: string;
  readonly help: string | null;
  readonly kind: string;
  /** Values by name and labels, as in the text. */
  readonly samples: Map<string, number>;
}

type Combine = (one: number, other: number) => number;

const sum: Combine = (one, other) => one + other;

/** Gauges of one process. Their series get the label `process`. */
const gaugesOfProcess = new Set(["waypost_memory_bytes", "waypost_event_loop_delay_seconds"]);

/** Gauges whose whole is not the highest value of the processes. */
const combinations: ReadonlyMap<string, Combine> = new Map<string, Combine>([
  ["waypost_location_index_environments", sum],
  ["waypost_location_index_positions", sum],
  ["waypost_spool_bytes", sum],
  ["waypost_database_up", Math.min],
  ["waypost_data_dir_free_bytes", Math.min],
  ["waypost_data_dir_free_files", Math.min],
]);

const parse = (text: string): ReadonlyArray<Family> => {
  const families: Array<Family> = [];
  let help: string | null = null;
  for (const line of text.split("\n")) {
    if (line.startsWith("# HELP ")) {
      help = line;
      continue;
    }
    const [, name, kind] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== undefined && kind !== undefined) {
      families.push({ name, kind, help, samples: new Map() });
      help = null;
      continue;
    }
    const end = line.lastIndexOf(" ");
    if (end > 0) families.at(-1)?.samples.set(line.slice(0, end), parseValue(line.slice(end + 1)));
  }
  return families;
};

const parseValue = (text: string): number => {
  if (text === "+Inf") return Number.POSITIVE_INFINITY;
  return text === "-Inf" ? Number.NEGATIVE_INFINITY : Number(text);
};

const formatValue = (value: number): string => {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
};

/** The series with one more label. */
const labelled = (series: string, process: string): string =>
  series.endsWith("}") ? `${series.slice(0, -1)},process="${process}"}` : `${series}{process="${process}"}`;

const format = ({ help, kind, name, samples }: Family): string =>
  [
    ...(help === null ? [] : [help]),
    `# TYPE ${name} ${kind}`,
    ...[...samples].map(([series, value]) => `${series} ${formatValue(value)}`),
  ].join("\n");

/**
 * The metrics of all processes as one text. Counters and histograms are sums. Gauges of a process get the
 * label `process`, and other gauges are combined as they mean it.
 */
export const sumOfMetrics = (processes: ReadonlyArray<ProcessMetrics>): string => {
  const total = new Map<string, Family>();
  for (const { hasEnded = false, process, text } of processes) {
    for (const { samples, ...family } of parse(text)) {
      const isGauge = family.kind === "gauge";
      if (isGauge && hasEnded) continue;
      const known = total.get(family.name) ?? { ...family, samples: new Map<string, number>() };
      total.set(family.name, known);
      const combine = isGauge ? (combinations.get(family.name) ?? Math.max) : sum;
      for (const [key, value] of samples) {
        const series = gaugesOfProcess.has(family.name) ? labelled(key, process) : key;
        const before = known.samples.get(series);
        known.samples.set(series, before === undefined ? value : combine(before, value));
      }
    }
  }
  const text = [...total.values()].map(format).join("\n");
  return text === "" ? "" : `${text}\n`;
};
