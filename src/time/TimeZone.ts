import { Schema, SchemaTransformation } from "effect";
import { DAY_MS } from "./DayNumbers.ts";

// Names of the tz database that Intl accepts but does not list. Intl itself also accepts offsets ("+02:00")
// and old abbreviations of ICU, in which "BST" is Dhaka.
const LINKS = `
  Africa/Asmara Africa/Timbuktu America/Argentina/Buenos_Aires America/Argentina/Catamarca
  America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy
  America/Argentina/Mendoza America/Atikokan America/Atka America/Ensenada America/Fort_Wayne
  America/Indiana/Indianapolis America/Kentucky/Louisville America/Knox_IN America/Montreal
  America/Nipigon America/Nuuk America/Pangnirtung America/Porto_Acre America/Rainy_River America/Rosario
  America/Santa_Isabel America/Shiprock America/Thunder_Bay America/Virgin America/Yellowknife
  Antarctica/South_Pole Asia/Ashkhabad Asia/Choibalsan Asia/Chongqing Asia/Chungking Asia/Dacca
  Asia/Harbin Asia/Ho_Chi_Minh Asia/Istanbul Asia/Kashgar Asia/Kathmandu Asia/Kolkata Asia/Macao
  Asia/Tel_Aviv Asia/Thimbu Asia/Ujung_Pandang Asia/Ulan_Bator Asia/Yangon Atlantic/Faroe
  Atlantic/Jan_Mayen Australia/ACT Australia/Canberra Australia/Currie Australia/LHI Australia/NSW
  Australia/North Australia/Queensland Australia/South Australia/Tasmania Australia/Victoria
  Australia/West Australia/Yancowinna Brazil/Acre Brazil/DeNoronha Brazil/East Brazil/West CET CST6CDT
  Canada/Atlantic Canada/Central Canada/Eastern Canada/Mountain Canada/Newfoundland Canada/Pacific
  Canada/Saskatchewan Canada/Yukon Chile/Continental Chile/EasterIsland Cuba EET EST EST5EDT Egypt Eire
  Etc/GMT Etc/GMT+0 Etc/GMT+1 Etc/GMT+10 Etc/GMT+11 Etc/GMT+12 Etc/GMT+2 Etc/GMT+3 Etc/GMT+4 Etc/GMT+5
  Etc/GMT+6 Etc/GMT+7 Etc/GMT+8 Etc/GMT+9 Etc/GMT-0 Etc/GMT-1 Etc/GMT-10 Etc/GMT-11 Etc/GMT-12 Etc/GMT-13
  Etc/GMT-14 Etc/GMT-2 Etc/GMT-3 Etc/GMT-4 Etc/GMT-5 Etc/GMT-6 Etc/GMT-7 Etc/GMT-8 Etc/GMT-9 Etc/GMT0
  Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu Europe/Belfast Europe/Kyiv Europe/Nicosia
  Europe/Tiraspol Europe/Uzhgorod Europe/Zaporozhye GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong
  Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT Mexico/BajaNorte Mexico/BajaSur
  Mexico/General NZ NZ-CHAT Navajo PRC PST8PDT Pacific/Chuuk Pacific/Johnston Pacific/Kanton
  Pacific/Pohnpei Pacific/Samoa Pacific/Yap Poland Portugal ROC ROK Singapore Turkey UCT US/Alaska
  US/Aleutian US/Arizona US/Central US/East-Indiana US/Eastern US/Hawaii US/Indiana-Starke US/Michigan
  US/Mountain US/Pacific US/Samoa UTC Universal W-SU WET Zulu
`;

const KNOWN: ReadonlyMap<string, string> = new Map(
  [...Intl.supportedValuesOf("timeZone"), ...LINKS.trim().split(/\s+/)].map((name) => [
    name.toLowerCase(),
    name,
  ]),
);

const inDatabaseSpelling = (text: string): string => KNOWN.get(text.trim().toLowerCase()) ?? text.trim();

/** Every accepted time zone name in the spelling of the tz database, sorted. */
export const timeZoneNames: ReadonlyArray<string> = [...KNOWN.values()].sort();

/**
 * An IANA time zone name such as `Europe/Amsterdam` or `UTC`. Any letter case is accepted and decoded to the
 * spelling of the tz database. Links (`Asia/Calcutta`, `Europe/Kyiv`) are kept as they were sent; offsets and
 * abbreviations are refused.
 */
export const TimeZoneName = Schema.String.annotate({
  description: "An IANA time zone name, such as Europe/Amsterdam or UTC.",
  examples: ["Europe/Amsterdam"],
}).pipe(
  Schema.decodeTo(
    Schema.String.check(
      Schema.makeFilter((text: string) => KNOWN.get(text.toLowerCase()) === text, {
        message:
          "The {field} must be a name of the IANA time zone database, such as Europe/Amsterdam or UTC " +
          "(an offset or an abbreviation is not a time zone).",
      }),
    ).pipe(Schema.brand("TimeZoneName")),
    SchemaTransformation.transform({ decode: inDatabaseSpelling, encode: (name) => name }),
  ),
);
export type TimeZoneName = typeof TimeZoneName.Type;

/** Coordinated Universal Time. */
export const utcZone = "UTC" as TimeZoneName;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** The offset of whole UTC days; null for a day with a clock change. */
  readonly days: Map<number, number | null>;
}

const zones = new Map<string, Zone>();
const MAX_CACHED_DAYS = 400;

const zoneOf = (name: TimeZoneName): Zone => {
  const cached = zones.get(name);
  if (cached !== undefined) return cached;
  const zone: Zone = {
    format: new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    }),
    days: new Map(),
  };
  zones.set(name, zone);
  return zone;
};

/** Measures the offset by Intl. Parsing `MM/DD/YYYY, hh:mm:ss` is three times as fast as `formatToParts`. */
const measure = (zone: Zone, ms: number): number => {
  const text = zone.format.format(ms);
  const clock = text.length - 8;
  const wall = Date.UTC(
    Number(text.slice(6, clock - 2)),
    Number(text.slice(0, 2)) - 1,
    Number(text.slice(3, 5)),
    Number(text.slice(clock, clock + 2)),
    Number(text.slice(clock + 3, clock + 5)),
    Number(text.slice(clock + 6)),
  );
  return wall - Math.floor(ms / 1000) * 1000;
};

/**
 * The zone's offset east of UTC at an instant, both in milliseconds. Offsets of whole UTC days are cached:
 * the tz database has no two clock changes within a day that cancel each other (since 1970 the closest pair
 * is a week apart).
 */
export const offsetAt = (name: TimeZoneName, ms: number): number => {
  const zone = zoneOf(name);
  const day = Math.floor(ms / DAY_MS);
  let offset = zone.days.get(day);
  if (offset === undefined) {
    const first = measure(zone, day * DAY_MS);
    offset = first === measure(zone, (day + 1) * DAY_MS) ? first : null;
    // Dates come from requests, so the cache needs a bound.
    if (zone.days.size >= MAX_CACHED_DAYS) zone.days.clear();
    zone.days.set(day, offset);
  }
  return offset ?? measure(zone, ms);
};
