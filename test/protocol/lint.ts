// What every client accepts in a tool: CLIENTS.md, entries 24 to 31. Anything else has broken one of them.
import type { Json } from "./exchange.ts";

/** The keywords that `readArguments` implements, by the types that they go with. */
const KEYWORDS: Record<string, string[]> = {
  object: ["properties", "required", "additionalProperties"],
  string: ["enum", "minLength", "maxLength", "default"],
  number: ["minimum", "maximum", "default"],
  integer: ["minimum", "maximum", "default"],
  boolean: ["default"],
  array: ["items"],
};
const TOOL_KEYS = ["annotations", "description", "inputSchema", "name", "title"];
const HINTS = ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"];

/** What is wrong with a tool as `tools/list` shows it; nothing, for a good one. */
export function lintTool(tool: Json): string[] {
  const { name, title, description, inputSchema, annotations } = tool;
  const faults: string[] = [];
  const fault = (wrong: boolean, what: string) => wrong && faults.push(`${name}: ${what}`);
  fault(!/^[a-z][a-z0-9_]{2,20}$/.test(name), "its name isn't 3 to 21 characters of a-z, 0-9 and _");
  fault(Object.keys(tool).sort().join() !== TOOL_KEYS.join(), `its members are ${Object.keys(tool)}`);
  fault(typeof title !== "string" || title === "" || title.length > 60, "it has no short title");
  fault(typeof description !== "string" || description.length > 1200, "its description is over 1200 characters");
  fault(!/Pour « [^«»]+ »\.$/.test(description ?? ""), "its description doesn't end with what a person says");
  fault(annotations?.title !== title, "its annotations don't repeat its title");
  fault(
    Object.keys(annotations ?? {})
      .sort()
      .join() !== [...HINTS, "title"].join(),
    "its four hints aren't explicit",
  );
  for (const hint of HINTS) fault(typeof annotations?.[hint] !== "boolean", `${hint} isn't true or false`);
  fault(inputSchema?.type !== "object", "its inputSchema isn't an object");
  return [...faults, ...lintSchema(inputSchema, name)];
}

export function lintSchema(schema: Json, where: string): string[] {
  const { type, description, properties, required, enum: choices, items } = schema ?? {};
  if (typeof type !== "string" || !Object.hasOwn(KEYWORDS, type)) return [`${where}: type ${JSON.stringify(type)}`];
  const faults: string[] = [];
  const fault = (wrong: boolean, what: string) => wrong && faults.push(`${where}: ${what}`);
  const nested = where.includes(".");
  for (const keyword of Object.keys(schema)) {
    fault(!["type", "description", ...KEYWORDS[type]].includes(keyword), `${keyword} isn't for ${type}`);
  }
  fault(description !== undefined && typeof description !== "string", "its description isn't a text");
  if (type === "object") {
    fault(nested, "an object inside an object");
    fault(schema.additionalProperties !== false, "additionalProperties isn't false");
    fault(typeof properties !== "object", "no properties");
    for (const name of required ?? [])
      fault(!Object.hasOwn(properties ?? {}, name), `${name} is required, not declared`);
    for (const [key, property] of Object.entries<Json>(properties ?? {})) {
      fault(!/^[a-z][a-z0-9_]{0,30}$/.test(key), `the key ${key} isn't ASCII snake_case`);
      faults.push(...lintSchema(property, `${where}.${key}`));
    }
  }
  if (type === "array") {
    if (items === undefined) fault(true, "an array without items");
    else {
      fault(items.type === "array", "an array of arrays");
      faults.push(...lintSchema(items, `${where}.items`));
    }
  }
  if (choices !== undefined) {
    const texts = Array.isArray(choices) && choices.length > 0 && choices.every((one) => typeof one === "string");
    fault(!texts, "its enum isn't a list of texts");
    fault(new Set(choices).size !== choices.length, "its enum repeats itself");
  }
  for (const keyword of ["minimum", "maximum", "minLength", "maxLength"]) {
    fault(schema[keyword] !== undefined && !Number.isFinite(schema[keyword]), `${keyword} isn't a number`);
  }
  fault(schema.minimum > schema.maximum || schema.minLength > schema.maxLength, "nothing fits its bounds");
  if (schema.default !== undefined) {
    const kind = type === "integer" ? "number" : type;
    fault(typeof schema.default !== kind, "its default is of another type");
    fault(choices !== undefined && !choices.includes(schema.default), "its default isn't one of its choices");
  }
  return faults;
}
