import type { Finding, SourceFile } from "./finding.ts";

/** A word that the code base does not use, and the standard term for it. */
interface BannedWord {
  readonly pattern: RegExp;
  readonly instead: string;
  /** The files that the rule covers; all if left out. */
  readonly files?: RegExp;
}

const positions = /^(src|test)\/(positions|events)\//;
const deliveries = /^(schema\/|src\/(sending\/(?!push\/transports\/)|campaigns\/Send|events\/))/;
const program = /^(src|test|scripts)\//;

/** Whole words in prose, and segments of identifiers; case-sensitive, so that `Place` and `place` are listed apart. */
const words: ReadonlyArray<BannedWord> = [
  { pattern: /\b[dD]oors?\b|Doors?(?=[A-Z]|\b)/, instead: "authenticator" },
  { pattern: /\b[gG]ates?\b|Gates?(?=[A-Z]|\b)/, instead: "authentication" },
  { pattern: /\b[kK]nocks?\b|Knock/, instead: "authentication attempt" },
  { pattern: /\b[aA]dmi(ts?|tted|ssions?)\b|Admission/, instead: "authenticate, authenticated request" },
  { pattern: /\b[gG]ateway\b|Gateway/, instead: "request pipeline", files: program },
  { pattern: /\b[eE]rrands?\b|Errand/, instead: "work outside the transaction" },
  {
    pattern: /NamedChange|\b[tT]wins?\b|Twin/,
    instead: "idempotent request, concurrent duplicate, baseline",
  },
  { pattern: /\b[vV]itals\b|Vitals/, instead: "process metrics" },
  { pattern: /\b[cC]heckups?\b|Checkup|\bexamin(e|es|ed)\b/, instead: "health check, run a check" },
  { pattern: /\b[lL]anes?\b|Lanes?(?=[A-Z]|\b)/, instead: "queue partition" },
  { pattern: /\bunder ?way\b|[uU]nderWay/i, instead: "in flight, running" },
  {
    pattern: /\bhand(s|ed|ing)? over\b|\bhand-over\b|[hH]andOver|[hH]andedOver/i,
    instead: "send, push attempt",
  },
  { pattern: /\bleft alone\b|\bleaves? alone\b|leaveAlone/i, instead: "back off" },
  { pattern: /\b[pP]atien(t|ce|tly)\b|Patience/, instead: "timeout, retry" },
  { pattern: /\bmost[A-Z]\w*/, instead: "max…", files: program },
  { pattern: /\blongest[A-Z]\w*/, instead: "max…", files: program },
  { pattern: /\b\w*AtOnce\b|\batOnce\b/, instead: "…Concurrency", files: program },
  { pattern: /\b[sS]ightings?\b|Sighting/, instead: "incoming event" },
  { pattern: /\b[fF]irings?\b|Firing/, instead: "trigger match" },
  { pattern: /\b[sS]hots?\b|[a-z]Shots?\b/, instead: "pending delivery", files: positions },
  { pattern: /\b[fF]ix(es)?\b|Fix(es)?(?=[A-Z]|\b)/, instead: "position", files: positions },
  { pattern: /\b[tT]racks?\b|Tracks?(?=[A-Z]|\b)/, instead: "device location state", files: positions },
  {
    pattern:
      /\b(a|the|of|its|each|these|those|no|of all) stays?\b|\b[sS]tayed\b|Stays?(?=[A-Z]|\b)|\bstays?\.\w/,
    instead: "visit",
  },
  {
    pattern:
      /(?<!\b[iI]n )(?<!\btak(e|es|en|ing) )(?<!\btook )\b[pP]laces?\b|Places?(?=[A-Z]|\b)|\bplaced?[A-Z]/,
    instead: "location; index (of a list); position",
  },
  { pattern: /\bfe(ed|eds|d)\b|\bFed(?=[A-Z])|Feed|\bfed[A-Z]/, instead: "pending deltas" },
  { pattern: /\bbase rows?\b|BaseRow/i, instead: "source rows" },
  { pattern: /\banew\b|Anew/i, instead: "again, new, rebuild" },
  { pattern: /\bdistrust/i, instead: "invalidate" },
  {
    pattern: /\bRolled[A-Z]|\bUnrolled|\bunrolled\b|CountedRows/,
    instead: "rollup reader, raw counts, source rows",
  },
  { pattern: /\b[tT]old\b|Told/, instead: "reported, said, shown" },
  { pattern: /\bchores?\b|Chore/i, instead: "job" },
  {
    pattern: /\blook(s|ed|ing)? (at|for|into)\b|\blooks?\b(?! (up|like))|\b(look|looks|looked)[A-Z](?!p)/,
    instead: "poll, check, read, find",
  },
  { pattern: /\b(a|its|their|his|whose|in|by) turns?\b|\b(inTurn|turnOf)\w*/, instead: "run, permit" },
  { pattern: /\bweigh(s|ed)?\b/, instead: "validate" },
  { pattern: /\bjudge[sd]?\b|\bjudge[A-Z]|Judge/, instead: "classify, check" },
  { pattern: /\bglance/i, instead: "fast path" },
  { pattern: /\borigins?\b/, instead: "source id", files: deliveries },
  { pattern: /(campaign|device|location|notification|content)(No|Nos|_no|_nos)\b/i, instead: "…Key, …_key" },
  { pattern: /\b[cC]arried\b(?! out)|Carried/, instead: "bundled, sent" },
  { pattern: /\b[sS]urroundings\b|Surroundings/, instead: "CLI environment" },
  { pattern: /\b[sS]ubmissions?\b|Submission/, instead: "parsed body", files: program },
  { pattern: /\b[rR]emember(s|ed)?\b/, instead: "cache, cached" },
  { pattern: /MediaChild|mediaChild|media-child/, instead: "media worker" },
  { pattern: /(?<![a-z.])\bConfig\b/, instead: "Settings", files: /^src\// },
  // Wording that has to be decoded.
  {
    pattern: /\bof ours\b|\bby now\b|\bwhoever\b|\bwhat becomes? of\b|\bwhat became of\b/i,
    instead: "plain words",
  },
  { pattern: /\bnobody sets\b|\bat hand\b|\bin vain\b|\bgoes on\b|\bwent on\b/i, instead: "plain words" },
];

/** Whole lines that may hold a banned word, because a name outside of this project does. */
const allowed: ReadonlyArray<RegExp> = [
  /handed_over/,
  // HTTP's own names.
  /Bad Gateway|Gateway Timeout/,
  // The demo's title of its chapters, the formats of media, GeoJSON and nginx have words of their own.
  /isVideoTrack|isAudioTrack|getTracks|proxy_/,
];

/** Where the word list itself and quotations of it stand. */
const exempt =
  /^(scripts\/check\/vocabulary\.ts|test\/guards\/Vocabulary\.test\.ts|CHANGELOG\.md|LICENSE|openapi\/|package|docs\/examples\/|.*\.(json|yml|geojson|lock)$)/;

/** Finds words that the code base does not use, in code, comments, tests and documentation. */
export const vocabulary = ({ path, text }: SourceFile): ReadonlyArray<Finding> => {
  if (exempt.test(path)) return [];
  const rules = words.filter(({ files }) => files === undefined || files.test(path));
  return text.split("\n").flatMap((line, index) => {
    if (allowed.some((pattern) => pattern.test(line))) return [];
    return rules.flatMap(({ instead, pattern }) => {
      const found = pattern.exec(line)?.[0];
      return found === undefined
        ? []
        : [{ file: path, line: index + 1, message: `"${found}" is not used here; write: ${instead}.` }];
    });
  });
};

/** The longest line of code, comments and documentation, in columns. */
export const maxColumns = 110;

/** Lines over 110 columns. Tables, links, import lines and code fences of shell commands cannot be wrapped. */
export const lineLength = ({ path, text }: SourceFile): ReadonlyArray<Finding> => {
  const isMarkdown = path.endsWith(".md");
  let isFenced = false;
  return text.split("\n").flatMap((line, index) => {
    if (isMarkdown && line.trimStart().startsWith("```")) isFenced = !isFenced;
    if (line.length <= maxColumns) return [];
    if (isMarkdown && (isFenced || /^\s*\||\]\(|https?:\/\//.test(line))) return [];
    if (/^\s*(import|export) .* from "|https?:\/\/\S{60}/.test(line)) return [];
    const message = `The line has ${line.length} columns, at most ${maxColumns}.`;
    return [{ file: path, line: index + 1, message }];
  });
};
