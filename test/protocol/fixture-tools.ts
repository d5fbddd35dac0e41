// Tools that exercise the core: every keyword of the schemas, every way a tool can end. Joined to the core block by
// test/fixture-door.ts, which brings the types.

const NOTHING: Schema = { type: "object", properties: {}, additionalProperties: false };

// biome-ignore lint/correctness/noUnusedVariables: the core block that follows reads it
const SERVER: Server = {
  name: "fixture",
  title: "Porte d'essai",
  version: "0.0.0",
  instructions: "Une porte pour les essais.",
  open: (tool, env) => tool !== "cache" || env.OUVERT === "oui",
  origins: (origin) => isPublicOrigin(origin) && origin !== "https://interdit.example",
  cacheScope: "private",
};

// biome-ignore lint/correctness/noUnusedVariables: the core block that follows reads it
const TOOLS: Tools = {
  temoin: {
    title: "Témoin",
    description: "Note dans l'environnement qu'il a été appelé. Pour « es-tu là ? ».",
    inputSchema: {
      type: "object",
      properties: { texte: { type: "string", maxLength: 80 } },
      additionalProperties: false,
    },
    run: async (args, { env }) => {
      if (Array.isArray(env.appels)) env.appels.push(args);
      return "Vu.";
    },
  },
  echo: {
    title: "Écho",
    description: "Redit ses arguments. Pour « répète ».",
    inputSchema: {
      type: "object",
      properties: {
        texte: { type: "string", minLength: 2, maxLength: 10 },
        choix: { type: "string", enum: ["l'Est", "les repêchés"], default: "l'Est" },
        nombre: { type: "integer", minimum: 1, maximum: 10 },
        mesure: { type: "number" },
        plancher: { type: "number", minimum: -1.5 },
        plafond: { type: "integer", maximum: 3 },
        rang: { type: "integer", minimum: 1, default: 4 },
        actif: { type: "boolean", default: false },
        liste: { type: "array", items: { type: "string", maxLength: 5 } },
        notes: { type: "array", items: { type: "integer", minimum: 0 } },
      },
      required: ["texte"],
      additionalProperties: false,
    },
    run: async (args) => JSON.stringify(args),
  },
  refus: {
    title: "Refus",
    description: "Refuse toujours. Pour « non ».",
    inputSchema: NOTHING,
    run: async () => {
      throw new Refusal("Je refuse. Ça ne dure pas. Ça ne veut rien dire. Redemande.");
    },
  },
  bogue: {
    title: "Bogue",
    description: "Se brise toujours. Pour « casse ».",
    inputSchema: NOTHING,
    run: async () => {
      throw new TypeError("secret de http://interne.example/");
    },
  },
  bogue_direct: {
    title: "Bogue direct",
    description: "Se brise avant d'avoir promis quoi que ce soit. Pour « casse vite ».",
    inputSchema: NOTHING,
    run: () => {
      throw "secret de http://interne.example/";
    },
  },
  image: {
    title: "Image",
    description: "Rend un texte et une image. Pour « montre ».",
    inputSchema: NOTHING,
    run: async () => [
      { type: "text", text: "Voici." },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ],
  },
  lent: {
    title: "Lent",
    description: "Ne finit jamais. Pour « attends ».",
    inputSchema: NOTHING,
    run: () => new Promise(() => {}),
  },
  horloge: {
    title: "Horloge",
    description: "Dit l'heure de la porte. Pour « quelle heure est-il ? ».",
    inputSchema: NOTHING,
    run: async (_, { now }) => new Date(now()).toISOString(),
  },
  reseau: {
    title: "Réseau",
    description: "Lit une adresse par les moyens qu'on lui donne. Pour « va voir ».",
    inputSchema: NOTHING,
    run: async (_, { fetch, waitUntil }) => {
      const reading = fetch("https://source.example/").then((response) => response.text());
      waitUntil(reading);
      return reading;
    },
  },
  efface: {
    title: "Efface",
    description: "Déclare ses propres indices. Pour « efface ».",
    inputSchema: NOTHING,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    run: async () => "Effacé.",
  },
  cache: {
    title: "Caché",
    description: "N'existe que là où OUVERT vaut oui. Pour « ouvre ».",
    inputSchema: NOTHING,
    run: async () => "Ouvert.",
  },
};
