// The same tool as the peers', over our core: bench/lanes.mjs joins the core block to it, which brings the types.

// biome-ignore lint/correctness/noUnusedVariables: the core block that follows reads it
const SERVER: Server = {
  name: "echo",
  title: "Écho",
  version: "1.0.0",
  instructions: "Une porte pour le banc d'essai.",
};

// biome-ignore lint/correctness/noUnusedVariables: the core block that follows reads it
const TOOLS: Tools = {
  echo: {
    title: "Écho",
    description: "Redit un texte. Pour « répète ».",
    inputSchema: {
      type: "object",
      properties: { texte: { type: "string" } },
      required: ["texte"],
      additionalProperties: false,
    },
    run: async ({ texte }) => `Tu dis : ${texte}`,
  },
};
