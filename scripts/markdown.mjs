// Markdown and MDX, turned into what a voice can say: paragraphs of plain sentences, code and tables apart.
import { decodeString } from "micromark-util-decode-string";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";
import remarkMdx from "remark-mdx";
import remarkParse from "remark-parse";
import { unified } from "unified";

/**
 * A paragraph to be spoken, or announced when it is code or a table. `start` and `end`: where it stands in the source, in
 * UTF-16 units; `at`: about where each sentence starts there. `code`: the content of a code block or the cells of a table, else "".
 * @typedef {"text" | "heading" | "code" | "table"} Kind
 * @typedef {{ kind: Kind, sentences: string[], at: number[], code: string, start: number, end: number }} Paragraph
 *
 * What a file holds: its front matter as written (null without one), its first `# heading` (null without one, and then
 * left among the paragraphs), and its paragraphs in order.
 * @typedef {{ front: string | null, heading: Paragraph | null, paragraphs: Paragraph[] }} Parsed
 *
 * A node of mdast, MDX's included, read loosely.
 * @typedef {{ type: string, value?: string, depth?: number, name?: string | null, children?: Node[],
 *   position?: { start: { offset?: number }, end: { offset?: number } } }} Node
 */

const MARKDOWN = unified().use(remarkParse).use(remarkGfm).use(remarkFrontmatter, ["yaml"]);
const MDX = unified().use(remarkParse).use(remarkMdx).use(remarkGfm).use(remarkFrontmatter, ["yaml"]);

/** Stands for a character that was dropped, so that the others keep their offsets. */
const DROPPED = "\ue001";
/** Stands for a space of inline code: no sentence is cut there. */
const CODE_SPACE = "\ue000";

/** Sentence breaks of Unicode are the same in every language; what they miss is in `ABBREVIATION`. */
const SEGMENTER = new Intl.Segmenter("fr", { granularity: "sentence" });
/** After these, a capital doesn't begin a sentence. One letter is an initial; after a figure, it is a unit. */
const ABBREVIATION =
  /(?:^|[\s(“"'’-])(?:(?<!\d\s)\p{Lu}|MM|Mmes?|Mlles?|Dre?|Pre?|Me|Mgr|Ste?|Mrs?|Ms|Prof|Jr|Sr|Gen|Capt|Lt|Jan|Feb|Aug|Sept?|Oct|Nov|Dec|vs|cf|p\. ?ex|c\.-?à-?d|e\.g|i\.e|ex|env|approx|av|boul|tél)\.$/u;
/** After these, a figure doesn't. */
const ABBREVIATED_NUMBER = /(?:^|[\s(“"'’])(?:n[o°]s?|pp?|art|chap|fig|vol|t|éd|sect|v|env|approx|ch|eq|ver)\.$/iu;
/** A sentence doesn't begin so. */
const CONTINUED = /^[\p{Ll},;:)\]”»…]/u;

/** What JSX and HTML hide from a reader. */
const UNSEEN = /^(?:script|style|svg|iframe|canvas|math|template|video|audio|object|head)$/i;

/**
 * Reads one file. `format` "mdx" is strict MDX, whose mistakes throw with `line` and `reason`; "loose" is Markdown with
 * the imports, the components and the simple expressions of MDX dropped; "md" is Markdown.
 * @param {string} source
 * @param {"md" | "mdx" | "loose"} format
 * @returns {Parsed}
 */
export function parseMarkdown(source, format) {
  const front = /^---[ \t]*\n(?:[\s\S]*?\n)?---[ \t]*(?:\n|$)/.exec(source)?.[0] ?? "";
  const blanked = (/** @type {string} */ prose) => blankMath(format === "loose" ? blankProse(prose) : prose);
  const text = front + mapProse(source.slice(front.length), blanked);
  const root = /** @type {Node} */ ((format === "mdx" ? MDX : MARKDOWN).parse(text));
  /** @type {Parsed} */
  const parsed = { front: null, heading: null, paragraphs: [] };
  const nodes = root.children ?? [];
  if (nodes[0]?.type === "yaml") parsed.front = nodes[0].value ?? "";
  addBlocks(nodes, parsed, null);
  return parsed;
}

/**
 * What of a paragraph is embedded and searched: its sentences, or what is not spoken of it.
 * @param {Paragraph} paragraph
 */
export function textOf({ kind, sentences, code }) {
  return kind === "code" || kind === "table" ? code : sentences.join(" ");
}

/**
 * Plain text for the ear, on one line: no emoji, no invisible character, ordinary spaces, inner « » as “ ”, NFC.
 * @param {string} text
 */
export function clean(text) {
  return (
    text
      .normalize("NFC")
      .replace(/[\ue001\ufffd\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g, "")
      .replace(/[0-9#*]\ufe0f?\u20e3/gu, "")
      .replace(/(?![©®™‼⁉])\p{Extended_Pictographic}|[\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]|\ufe0e|\ufe0f/gu, "")
      .replace(/\p{Cc}/gu, " ")
      .replace(/«\s*/g, "“")
      .replace(/\s*»/g, "”")
      .replace(/\s+/g, " ")
      // What is left where an image or a footnote's marker stood.
      .replace(/ +([.,])(?=\s|$)/g, "$1")
      .trim()
  );
}

/**
 * A title or a description, written in plain text or with a little Markdown or HTML.
 * @param {string} text
 */
export function cleanLine(text) {
  const plain = text
    .replace(/(`+)(.+?)\1/g, "$2")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/<(a|abbr|b|cite|code|del|em|i|ins|kbd|mark|q|s|small|span|strong|su[bp]|u)\b[^>]*>(.*?)<\/\1>/gi, "$2")
    .replace(/<br\b[^>]*>/gi, " ");
  return clean(scrub(decodeEntities(plain)));
}

/**
 * The characters that entities of HTML stand for. One that isn't a character becomes U+FFFD, which is then dropped.
 * @param {string} text
 */
function decodeEntities(text) {
  return text.replace(/&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z\d]{1,31});/gi, decodeString);
}

/**
 * Cuts a text between its sentences, never inside one: abbreviations, figures and names of files are no ends.
 * @param {string} text clean, the spaces of its inline code replaced
 * @returns {string[]}
 */
function sentencesOf(text) {
  /** @type {string[]} */
  const sentences = [];
  let pending = "";
  for (const { segment } of SEGMENTER.segment(text)) {
    const before = pending.trimEnd();
    const joined =
      pending === before || ABBREVIATION.test(before) || CONTINUED.test(segment)
        ? true
        : /^\d/.test(segment) && ABBREVIATED_NUMBER.test(before);
    if (joined) pending += segment;
    else {
      sentences.push(before);
      pending = segment;
    }
  }
  if (pending.trim() !== "") sentences.push(pending.trim());
  return sentences;
}

/**
 * @param {Node[]} nodes
 * @param {Parsed} parsed
 * @param {{ last: Paragraph | null } | null} group the list around: its items make one paragraph
 */
function addBlocks(nodes, parsed, group) {
  for (const node of nodes) {
    const { type } = node;
    if (type === "paragraph") addText(flatten(node), node, parsed, group);
    else if (type === "heading") addHeading(node, parsed);
    else if (type === "code") addApart("code", node.value ?? "", node, parsed);
    else if (type === "table") addApart("table", cellsOf(node), node, parsed);
    else if (type === "html") addHtml(node, parsed, group);
    else if (type === "list") addBlocks(node.children ?? [], parsed, group ?? { last: null });
    else if (type === "mdxJsxFlowElement" && node.name === "table") addApart("table", "", node, parsed);
    else if (type === "mdxJsxFlowElement" && UNSEEN.test(node.name ?? "")) continue;
    else if (/^(?:listItem|blockquote|footnoteDefinition|mdxJsxFlowElement)$/.test(type)) {
      addBlocks(node.children ?? [], parsed, group);
    }
  }
}

/**
 * @param {string} text flattened
 * @param {Node} node
 * @param {Parsed} parsed
 * @param {{ last: Paragraph | null } | null} group
 */
function addText(text, node, parsed, group) {
  const cleaned = clean(text);
  if (!isSpoken(cleaned)) return;
  const cut = sentencesOf(cleaned);
  const [start, end] = boundsOf(node);
  const sentences = cut.map((sentence) => sentence.replaceAll(CODE_SPACE, " "));
  // Without a mark, a voice runs into what follows.
  const last = sentences.length - 1;
  if (!/[.!?…:;,]["'”’)\]]*$/.test(sentences[last])) sentences[last] += ".";
  let length = 0;
  const at = cut.map((sentence) => {
    const place = start + ((end - start) * length) / cleaned.length;
    length += sentence.length + 1;
    return place;
  });
  const around = group?.last;
  if (around && around === parsed.paragraphs.at(-1)) {
    around.sentences.push(...sentences);
    around.at.push(...at);
    around.end = end;
    return;
  }
  /** @type {Paragraph} */
  const paragraph = { kind: "text", sentences, at, code: "", start, end };
  parsed.paragraphs.push(paragraph);
  if (group !== null) group.last = paragraph;
}

/**
 * @param {Node} node
 * @param {Parsed} parsed
 */
function addHeading(node, parsed) {
  const sentence = clean(flatten(node)).replaceAll(CODE_SPACE, " ");
  if (!isSpoken(sentence)) return;
  const [start, end] = boundsOf(node);
  /** @type {Paragraph} */
  const paragraph = { kind: "heading", sentences: [sentence], at: [start], code: "", start, end };
  parsed.paragraphs.push(paragraph);
  if (node.depth === 1) parsed.heading ??= paragraph;
}

/**
 * A table's cells, a row a line: searched, never spoken.
 * @param {Node} table
 */
function cellsOf({ children: rows = [] }) {
  return rows
    .map(({ children: cells = [] }) => cells.map((cell) => clean(flatten(cell)).replaceAll(CODE_SPACE, " ")).join(" "))
    .join("\n");
}

/**
 * @param {"code" | "table"} kind
 * @param {string} code
 * @param {Node} node
 * @param {Parsed} parsed
 */
function addApart(kind, code, node, parsed) {
  const content = code.replaceAll(DROPPED, "").trim();
  if (kind === "code" && content === "") return;
  const [start, end] = boundsOf(node);
  parsed.paragraphs.push({ kind, sentences: [], at: [], code: content.normalize("NFC"), start, end });
}

/**
 * @param {Node} node
 * @param {Parsed} parsed
 * @param {{ last: Paragraph | null } | null} group
 */
function addHtml(node, parsed, group) {
  const html = (node.value ?? "").replace(/<!--[\s\S]*?(?:-->|$)/g, "");
  const name = /^\s*<([a-z][\w-]*)/i.exec(html)?.[1] ?? "";
  if (UNSEEN.test(name)) return;
  if (/^table$/i.test(name)) addApart("table", "", node, parsed);
  else if (/^pre$/i.test(name))
    addApart("code", decode(html.replaceAll("\n", DROPPED)).replaceAll(DROPPED, "\n"), node, parsed);
  else for (const part of decode(html).split("\n\n")) addText(scrub(part), node, parsed, group);
}

/** @param {string} html */
function decode(html) {
  const plain = html
    .replace(/<br\b[^>]*>|\n/gi, " ")
    .replace(
      /<\/?(?:p|div|summary|details|section|article|blockquote|figure|figcaption|h[1-6]|[uod]l|li|d[td])\b[^>]*>/gi,
      "\n\n",
    )
    .replace(/<\/?[a-z!][^>]*>/gi, "");
  return decodeEntities(plain);
}

/**
 * The words of a heading or a paragraph, the marks gone.
 * @param {Node} node
 * @returns {string}
 */
function flatten(node) {
  const { type, value = "" } = node;
  if (type === "text") return scrub(value);
  if (type === "inlineCode") return value.replaceAll(DROPPED, "").replace(/\s/g, CODE_SPACE);
  if (type === "break") return " ";
  if (type === "html") return /^<br\b/i.test(value) ? " " : "";
  if (type === "mdxTextExpression") return /^\s*(["'`])\s+\1\s*$/.test(value) ? " " : "";
  if (type === "mdxJsxTextElement" && node.name === "br") return " ";
  if (type === "mdxJsxTextElement" && UNSEEN.test(node.name ?? "")) return "";
  return (node.children ?? []).map(flatten).join("");
}

/**
 * Drops from a text what Markdown leaves in it as letters: addresses, of which the host is kept, markers without a
 * definition, admonitions, identifiers of headings, stars that pair with nothing.
 * @param {string} text
 */
function scrub(text) {
  return text
    .replace(/(?:https?:\/\/|\bwww\.)[^\s<>“”«»"`]+/gi, sayAddress)
    .replace(/\[\^[^\]\s]+\]|\[![A-Z]+\]|:::+[a-z]*|\s\{#[\w-]+\}|\{\{[<%].*?[%>]\}\}/g, "")
    .replace(/\[\[(?:[^\]|]*\|)?([^\]]+)\]\]/g, "$1")
    .replace(/\[([^\]]+)\]\[[^\]]*\]/g, "$1")
    .replace(/\*\*|(?<![\p{L}\p{N}_])__(?=\s|$)|(?<=^|\s)__(?![\p{L}\p{N}_]+__)(?=\p{L})/gu, "");
}

/** @param {string} address */
function sayAddress(address) {
  const [, bare, after] = /^(.*?)([.,;:!?)\]]*)$/s.exec(address) ?? ["", address, ""];
  const full = /^www\./i.test(bare) ? `http://${bare}` : bare;
  return URL.canParse(full) ? new URL(full).host.replace(/^www\./, "") + after : address;
}

/** @param {string} text */
function isSpoken(text) {
  return /[\p{L}\p{N}]/u.test(text);
}

/**
 * @param {Node} node
 * @returns {[start: number, end: number]}
 */
function boundsOf({ position }) {
  return [position?.start.offset ?? 0, position?.end.offset ?? 0];
}

/**
 * Changes what is between the fences of a text.
 * @param {string} source
 * @param {(prose: string) => string} change which keeps its lines
 */
function mapProse(source, change) {
  const out = [...source.split("\n")];
  /** Lines of prose, from one fence to the next. */
  let [from, fence] = [0, ""];
  const blank = (/** @type {number} */ to) => {
    if (from >= to) return;
    const lines = change(out.slice(from, to).join("\n")).split("\n");
    for (const [index, line] of lines.entries()) out[from + index] = line;
  };
  for (const [index, line] of out.entries()) {
    const mark = /^[\s>]*(?:[-*+]\s+)?(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line);
    if (mark === null) continue;
    if (fence === "") {
      blank(index);
      fence = mark[1];
    } else if (mark[1].startsWith(fence) && mark[2].trim() === "") {
      fence = "";
      from = index + 1;
    }
  }
  if (fence === "") blank(out.length);
  return out.join("\n");
}

/** @param {string} part */
function hide(part) {
  return part.replace(/[^\n]/g, DROPPED);
}

/**
 * A line that holds nothing but what was dropped is an empty line: it separates paragraphs.
 * @param {string} text
 */
function emptyLines(text) {
  return text.replace(/^[ \t\ue001]+$/gm, (line) => " ".repeat(line.length));
}

/**
 * Blanks the formulas that stand alone, between $$: read aloud, TeX is noise. Every other character keeps its offset.
 * @param {string} text without a fence
 */
function blankMath(text) {
  return emptyLines(text.replace(/(?<=^[ \t>]*)\$\$(?!\$)(?:(?!\n[ \t>]*\n)[^$])+\$\$[ \t]*$/gm, hide));
}

/**
 * Blanks the imports, the exports, the tags of components and the simple expressions that MDX leaves in a text, code
 * apart. Every other character keeps its offset.
 * @param {string} text without a fence
 */
function blankProse(text) {
  let rest = text
    .replace(/^import\s+(?:[\w*{}\s,$]+?\s*from\s*)?["'][^"'\n]+["'];?[ \t]*$/gm, hide)
    .replace(/^export\s+(?:default|const|let|var|function|async|class|\{|\*)[^\n]*(?:\n(?!\s*\n)[^\n]+)*/gm, hide);
  let out = "";
  while (rest !== "") {
    const plain = /^[^`<{]+/.exec(rest)?.[0];
    const code = /^(`+)(?!`)(?:(?!\n[ \t]*\n)[\s\S])*?(?<!`)\1(?!`)/.exec(rest)?.[0];
    const jsx = plain === undefined && code === undefined ? jsxLength(rest) : 0;
    const part = jsx > 0 ? rest.slice(0, jsx) : (plain ?? code ?? (/^`+/.exec(rest)?.[0] || rest[0]));
    out += jsx > 0 ? hide(part) : part;
    rest = rest.slice(part.length);
  }
  return emptyLines(out);
}

/**
 * How long the tag of a component or the expression is that a text begins with; 0 when it begins with neither. The tags
 * of plain HTML are Markdown's affair.
 * @param {string} text
 */
function jsxLength(text) {
  const expression = /^\{\s*(?:\/\*[\s\S]*?\*\/|(["'`])[^"'`\n]*\1|[A-Za-z_$][\w$.]*(?:\([^()\n]*\))?)\s*\}/.exec(text);
  if (expression !== null) return expression[0].length;
  const opening = /^<(?:\/?([A-Za-z][\w.:-]*)?)(?=[\s/>])|^<\/?>/.exec(text);
  if (opening === null) return 0;
  let [depth, quote, braces] = [0, "", false];
  for (let index = 1; index < text.length; index++) {
    const character = text[index];
    if (/^\n[ \t]*\n/.test(text.slice(index, index + 40)) && depth === 0) return 0;
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (/["'`]/.test(character) && (depth > 0 || text[index - 1] === "=")) quote = character;
    else if (character === "{") [depth, braces] = [depth + 1, true];
    else if (character === "}") depth--;
    else if (character === ">" && depth === 0) {
      const component = opening[1] === undefined || /^[A-Z]|\./.test(opening[1]);
      return component || braces ? index + 1 : 0;
    }
  }
  return 0;
}
