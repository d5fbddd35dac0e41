import { expect, it } from "vitest";
import door from "#door";
import { QUESTIONS } from "./questions.ts";

interface Tool {
  name: string;
  description: string;
}

/** What a model reads before it chooses. */
async function listTools(): Promise<Tool[]> {
  const request = new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const response = await door.fetch(request, {}, { waitUntil: () => {}, passThroughOnException() {}, props: {} });
  return (await response.json<{ result: { tools: Tool[] } }>()).result.tools;
}

function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** What a tool says that it answers: a sentence that sends elsewhere, or says what it doesn't do, is not that. */
function ownWords({ description }: Tool): string {
  const sentences = description.split(/\.\s+/).filter((one) => !/^Ne\b|_lnh/.test(one));
  return fold(sentences.join(". "));
}

/** At the beginning of a word: « rang » is not in « étranger ». */
function says(words: string, stem: string): boolean {
  const at = words.indexOf(stem);
  if (at < 0) return false;
  return !/[\p{L}\p{N}]/u.test(words[at - 1] ?? " ") || says(words.slice(at + 1), stem);
}

const tools = await listTools();
const asked = QUESTIONS.filter(({ tool }) => tools.some(({ name }) => name === tool));

it("has sixty different questions, each with one to three deciding words", () => {
  expect(new Set(QUESTIONS.map(({ asked }) => fold(asked))).size).toBe(60);
  for (const { decides } of QUESTIONS) {
    expect(decides.length).toBeGreaterThanOrEqual(1);
    expect(decides.length).toBeLessThanOrEqual(3);
    expect(decides.map(fold)).toEqual(decides);
  }
});

it("has at least six questions for every tool of the door", () => {
  for (const { name } of tools) {
    const count = QUESTIONS.filter(({ tool }) => tool === name).length;
    expect({ name, enough: count >= 6 }).toEqual({ name, enough: true });
  }
});

it.each(asked)("« $asked » calls for $tool, and for no other tool", ({ tool, decides }) => {
  for (const one of tools) {
    const said = decides.filter((stem) => says(ownWords(one), stem));
    if (one.name === tool) expect({ tool, decides, said }).not.toMatchObject({ said: [] });
    else expect({ tool: one.name, said }).not.toEqual({ tool: one.name, said: decides });
  }
});
