// The linter of what a person hears. Every sentence that a test gets out of a door goes through it.

/** Names that stay as people know them, all capitals. */
const KNOWN_CAPITALS = /\b(?:RDS|TVA Sports)\b/g;
/** Sentences pinned by the specification of the system. */
const PINS = /n'est pas une équipe canadienne de la LNH/g;
/** Quoted from a person or a source: its words are not ours. */
const QUOTED = /« [^»]* »/g;

const FORBIDDEN: [name: string, pattern: RegExp][] = [
  ["a control, invisible or non-breaking character", /[\p{Cc}\p{Cf}\u00a0\u202f\u2007]/u],
  ["a curly apostrophe or quote", /[‘’“”]/],
  ["Markdown or code", /[*_`#|~<>{}[\]\\]/],
  ["a parenthesis", /[()]/],
  ["a slash", /\//],
  ["a long dash", /[–—]/],
  ["an emoji or a pictogram", /\p{Extended_Pictographic}/u],
  ["a symbol read badly", /[%°$€&+=@^•…]/],
  ["a missing value", /\b(?:undefined|null|NaN|Infinity|object Object)\b/],
  ["a word in capitals", /(?<![\p{L}])\p{Lu}{2,}(?![\p{L}])/u],
  [
    "an abbreviation",
    /(?<!\p{L})(?:h|min|s|km|cm|mm|m|kg|vs|etc|cf|p\.|no|mtl|tor|ott|ot|so|pp|PdP|kPa|hPa|max|temp|incl|env|1er|1re|1ère|[2-9]e|M\.|Mme|St\.?|Ste)(?!\p{L}|')/u,
  ],
  ["a score with a dash or a colon", /\d ?[-:] ?\d/],
  ["a date in figures", /\d{4}-\d{2}/],
  ["a decimal point", /\d\.\d/],
  ["initials", /\p{Lu}[.,]\p{Lu}/u],
  ["a minus that is not said", /(?<![\p{L}\d])[-−] ?\d/u],
  ["a zero that has a sign", /\b(?:moins|plus) (?:zéro|0)(?!\d| virgule)/],
  [
    "one in figures before a word that isn't its noun",
    /(?<![\d,] ?)\b1 (?:but|minute|heure|seconde|match|tir|punition)/,
  ],
  ["a zero that is not said", /(?<!virgule )\b0 (?:minute|seconde|heure|degré|(?:kilo|centi|milli)?mètre|pour cent)/],
  ["minutes with a zero before them", /heures? 0\d/],
  ["one or zero in the plural", /(?<!virgule )\b(?:[01]|zéro) (?:degré|(?:kilo|centi|milli)?mètre)s/],
  ["several in the singular", /(?<!virgule )\b(?:[2-9]|\d{2,}) (?:degré|(?:kilo|centi|milli)?mètre)(?!s|\p{L})/u],
  ["a feminine 21 in figures", /\b[2345]1 (?:minutes|secondes|heures)/],
  ["two spaces, or one before a full stop", / {2}| [.,]/],
  ["a doubled mark", /[.,;:!?]{2}|[,;:] [,;.]/],
  ["two colons in one sentence", / : [^.]* : /],
  ["a quotation mark without its spaces", /«(?! )|(?<! )»/],
  [
    "an elision that was missed",
    /(?<![-\p{L}])(?:de|le|la|que|je|ne|se|ce|jusque) (?=[aeiouâêîôûéèëïü])(?!onz|oui|ouate)/iu,
  ],
  ["a direction that was not elided", /\bdu (?:est|ouest)(?![-\p{L}])/u],
  ["a word twice", /(?<![-\p{L}])(de|du|des|à|au|en|le|la|les|et|moins|degrés?) \1(?![-\p{L}])/iu],
  ["a word that leads to nothing", /(?<![-\p{L}])(?:à|de|du|des|au|aux|avec|pour|entre|d'|l')(?= ?[.,;:?!])/iu],
  ["an article that was not contracted", /\b(?:de|à) les? (?=\p{Lu})/u],
];

/**
 * Everything wrong with `text` for the ear, in words; empty when it can be read aloud.
 * `sentences`: how many at most, three unless the answer is a live game or a list.
 */
export function faultsOf(text: string, sentences = 3): string[] {
  const heard = text.replace(QUOTED, "« »").replace(PINS, "n'est pas de la Ligue").replace(KNOWN_CAPITALS, "Réseau");
  const faults = FORBIDDEN.flatMap(([name, pattern]) => {
    const found = pattern.exec(heard);
    return found === null ? [] : [`${name}: « ${heard.slice(Math.max(0, found.index - 15), found.index + 25)} »`];
  });
  if (!/^[«\p{Lu}]/u.test(text)) faults.push("it doesn't begin with a capital");
  if (!/[.?!»]$/.test(text)) faults.push("it doesn't end with a full stop");
  const count = heard.split(/[.?!](?= |$)/).filter((part) => part.trim() !== "").length;
  if (count > sentences) faults.push(`${count} sentences, ${sentences} at most`);
  return faults;
}
