/** The words and line lengths of the code base. `node scripts/words.ts` runs these checks. */
import type { Finding, SourceFile } from "./finding.ts";

/** Words or phrases that the code base does not use, and the term to write instead. */
interface VocabularyRule {
  readonly pattern: RegExp;
  readonly instead: string;
  /** The files that the rule covers. All files if left out. */
  readonly files?: RegExp;
}

const program = /^(src|console|sdk|test|scripts)\//;
const events = /^(src|test)\/(positions|events)\//;
const deliveries =
  /^(schema\/(?!\d+_allowed_origins)|src\/(sending\/(?!push\/transports\/)|campaigns\/Send|events\/))/;

/**
 * Matches words in prose and segments of identifiers: `door` matches "Doors", `doorOf` and `PlatformDoor`.
 */
const word = (...words: ReadonlyArray<string>): RegExp =>
  new RegExp(
    words
      .map((each) => {
        const [first = "", rest] = [each[0], each.slice(1)];
        const capital = first.toUpperCase();
        return `(?<![A-Za-z])[${first}${capital}]${rest}(?![a-z])|(?<=[a-z0-9])${capital}${rest}(?![a-z])`;
      })
      .join("|"),
  );

const names: ReadonlyArray<VocabularyRule> = [
  { pattern: word("doors?"), instead: "authenticator" },
  { pattern: word("gates?"), instead: "authentication" },
  { pattern: word("knock(s|ed|ing)?"), instead: "authentication attempt" },
  { pattern: word("admit(s|ted)?", "admissions?"), instead: "authenticate, authenticated request" },
  { pattern: word("gateways?"), instead: "request pipeline" },
  { pattern: word("errands?"), instead: "work outside the transaction" },
  { pattern: word("namedChanges?", "twins?"), instead: "idempotent request, concurrent duplicate, baseline" },
  { pattern: word("vitals"), instead: "process metrics" },
  { pattern: word("checkups?", "examine[sd]?"), instead: "health check, run a check" },
  { pattern: word("lanes?"), instead: "queue partition" },
  { pattern: /\bunder ?way\b|underWay/i, instead: "in flight, running" },
  { pattern: /\bhand(s|ed|ing)?[- ]over\b|hand(ed)?Over/i, instead: "send, push attempt" },
  { pattern: /PushServices|\b(left|leaves?) alone\b|leaveAlone/, instead: "provider concurrency, back off" },
  { pattern: word("patien(t|ce|tly)"), instead: "timeout, retry" },
  { pattern: /\b(most|longest)[A-Z]\w*/, instead: "max…", files: program },
  { pattern: /\b\w*[aA]tOnce\b/, instead: "…Concurrency", files: program },
  { pattern: word("sightings?"), instead: "incoming event" },
  { pattern: word("firings?"), instead: "trigger match" },
  { pattern: /\b(class|interface|type) Reports?\b/, instead: "event batch", files: events },
  { pattern: word("shots?"), instead: "pending delivery", files: events },
  { pattern: word("fix(es)?"), instead: "position", files: events },
  { pattern: word("tracks?"), instead: "device location state", files: events },
  {
    pattern:
      /\b(a|the|of|its|each|these|those|no|of all) stays?\b|\b[sS]tayed\b|\bstays?\.\w|Stays?(?![a-z])/,
    instead: "visit",
  },
  {
    pattern: /(?<!\b([iI]n|tak(e|es|en|ing)|took) )\b[pP]laces?\b|[a-z]Places?(?![a-z])|\b[pP]laced?[A-Z]/,
    instead: "location; index (of a list); position",
  },
  {
    // Not the scheme `feed:` of an address.
    pattern: /(?<![`"A-Za-z])[fF](eeds?|ed)(?![a-z`:])|(?<=[a-z0-9])F(eeds?|ed)(?![a-z])/,
    instead: "pending deltas",
  },
  { pattern: /\bbase rows?\b|baseRow/i, instead: "source rows" },
  { pattern: word("anew"), instead: "again, new, rebuild" },
  { pattern: word("distrust(s|ed)?"), instead: "invalidate" },
  { pattern: /\bRolled[A-Z]|[uU]nrolled|CountedRows/, instead: "rollup reader, raw counts, source rows" },
  { pattern: word("told"), instead: "reported, said, shown" },
  { pattern: word("chores?"), instead: "job" },
  {
    pattern: /\blook(s|ed|ing)? (at|for|into)\b|\blooks?\b(?! (up|like))|\blook(s|ed)?[A-Z](?!p)/,
    instead: "poll, check, read, find",
  },
  { pattern: /\b(a|its|their|his|whose|in|by) turns?\b|\b(inTurn|turnOf)\w*/, instead: "run, permit" },
  { pattern: word("weigh(s|ed|ing)?"), instead: "validate" },
  { pattern: word("judge[sd]?", "judging"), instead: "classify, check" },
  { pattern: word("glance[sd]?"), instead: "fast path" },
  { pattern: word("origins?"), instead: "source id", files: deliveries },
  {
    pattern: /(campaign|device|location|notification|content|workspace)_?Nos?(?![a-z])/i,
    instead: "…Key, …_key",
  },
  { pattern: /\bcarried\b(?! out)|Carried/, instead: "bundled, sent" },
  { pattern: word("surroundings"), instead: "CLI environment" },
  { pattern: word("submissions?"), instead: "parsed body", files: program },
  { pattern: word("remember(s|ed)?"), instead: "cache, cached" },
  { pattern: /media-?child/i, instead: "media worker" },
  { pattern: /(?<![a-z.])\bConfig\b/, instead: "Settings", files: /^src\// },
];

/** Phrases that the reader has to decode. */
const phrases: ReadonlyArray<VocabularyRule> = [
  /\bof ours\b/i,
  /\bby now\b/i,
  /\bwhoever\b/i,
  /\bwhat (becomes?|became) of\b/i,
  /\btells? of\b/i,
  /\bnobody sets\b/i,
  /\bat hand\b/i,
  /\bin vain\b/i,
  /\b(goes|went) on\b/i,
].map((pattern) => ({ pattern, instead: "plain words" }));

/** All rules. */
export const vocabularyRules: ReadonlyArray<VocabularyRule> = [...names, ...phrases];

/** Names that something outside the code base gives. They may hold any word. */
const foreign = [
  /handed_over/g,
  // The span of a push attempt.
  /push\.hand_over/g,
  // The example file of the location import.
  /places\.(geojson|ts)/g,
  // The field of an estimate (contract S4).
  /`places`|\bplaces: /g,
  /Bad Gateway|Gateway Timeout/g,
  /isVideoTrack|isAudioTrack|getTracks|substituteInPlace/g,
];

/** The list itself and its tests. */
const exempt = /^(scripts\/check\/vocabulary\.ts|test\/guards\/Vocabulary\.test\.ts)$/;

/** Finds words that the code base does not use, in code, comments, tests and documentation. */
export const vocabulary = ({ path, text }: SourceFile): ReadonlyArray<Finding> => {
  if (exempt.test(path)) return [];
  const covering = vocabularyRules.filter(({ files }) => files === undefined || files.test(path));
  return text.split("\n").flatMap((line, index) => {
    const own = foreign.reduce((rest, name) => rest.replaceAll(name, ""), line);
    return covering.flatMap(({ instead, pattern }) => {
      const found = pattern.exec(own)?.[0];
      return found === undefined
        ? []
        : [{ file: path, line: index + 1, message: `"${found}" is not used here; write: ${instead}.` }];
    });
  });
};

/** The maximum length of a line, in columns. */
export const maxColumns = 110;

/** Lines over 110 columns without comments of Markdown. Addresses, tables, links and code may be longer. */
export const lineLength = ({ path, text }: SourceFile): ReadonlyArray<Finding> => {
  const isMarkdown = path.endsWith(".md");
  let isFenced = false;
  return text.split("\n").flatMap((line, index) => {
    if (isMarkdown && line.trimStart().startsWith("```")) isFenced = !isFenced;
    if (line.replaceAll(/<!--.*?-->/g, "").length <= maxColumns) return [];
    if (isMarkdown && (isFenced || /^\s*\||\]\(|https?:\/\//.test(line))) return [];
    if (/https?:\/\/\S{60}/.test(line)) return [];
    const message = `The line has ${line.length} columns; the maximum is ${maxColumns}.`;
    return [{ file: path, line: index + 1, message }];
  });
};
