// What people ask, and how a door's descriptions lead each question to its tool: one check for every door.
import { expect, it } from "vitest";
import door from "#door";

/**
 * `decides`: what makes a model choose that tool and no other, as the beginnings of words, folded. The tool's
 * description says at least one of them; no other tool says them all.
 */
export interface Question {
  asked: string;
  tool: string;
  decides: string[];
}

/** A question, then its deciding words. */
export type Asked = [asked: string, ...decides: string[]];

interface Tool {
  name: string;
  description: string;
}

export function listQuestions(byTool: Record<string, Asked[]>): Question[] {
  return Object.entries(byTool).flatMap(([tool, rows]) =>
    rows.map(([asked, ...decides]) => ({ asked, tool, decides })),
  );
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

/** What a tool says that it answers: a sentence that sends to another one, or says what it doesn't do, is not that. */
function ownWords({ description }: Tool, names: string[]): string {
  const sentences = description
    .split(/\.\s+/)
    .filter((one) => !/^Ne\b/.test(one) && !names.some((name) => one.includes(name)));
  return fold(sentences.join(". "));
}

/** At the beginning of a word: « rang » is not in « étranger ». */
function says(words: string, stem: string): boolean {
  const at = words.indexOf(stem);
  if (at < 0) return false;
  return !/[\p{L}\p{N}]/u.test(words[at - 1] ?? " ") || says(words.slice(at + 1), stem);
}

/** Registers the tests of a door's questions: `count` of them, at least `each` for every tool. */
export async function testQuestions(
  questions: Question[],
  count: number,
  each: number,
  listed?: Tool[],
): Promise<void> {
  const tools = listed ?? (await listTools());
  const names = tools.map(({ name }) => name);

  it(`has ${count} different questions, each with one to three deciding words`, () => {
    expect(new Set(questions.map(({ asked }) => fold(asked))).size).toBe(count);
    for (const { decides } of questions) {
      expect(decides.length).toBeGreaterThanOrEqual(1);
      expect(decides.length).toBeLessThanOrEqual(3);
      expect(decides.map(fold)).toEqual(decides);
    }
  });

  it(`has at least ${each} questions for every tool of the door`, () => {
    for (const name of names) {
      const asked = questions.filter(({ tool }) => tool === name).length;
      expect({ name, enough: asked >= each }).toEqual({ name, enough: true });
    }
  });

  it.each(questions)("« $asked » calls for $tool, and for no other tool", ({ tool, decides }) => {
    expect(names).toContain(tool);
    for (const one of tools) {
      const said = decides.filter((stem) => says(ownWords(one, names), stem));
      if (one.name === tool) expect({ tool, decides, said }).not.toMatchObject({ said: [] });
      else expect({ tool: one.name, said }).not.toEqual({ tool: one.name, said: decides });
    }
  });
}
