// The tools that the conformance suite looks for, by its own names, where the core can hold them: each kind of content, an
// error, a schema of any keyword. Joined to the core block by test/fixture-door.ts, which brings the types.

const NOTHING: Schema = { type: "object", properties: {}, additionalProperties: false };

/** One red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/** One sample of silence, at 8 kHz. */
const WAV = "UklGRiUAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQEAAACA";

const TEXT: Content = { type: "text", text: "Un texte." };
const IMAGE: Content = { type: "image", data: PNG, mimeType: "image/png" };
const AUDIO: Content = { type: "audio", data: WAV, mimeType: "audio/wav" };
/** No door has such a block, and the core passes on what it is given. */
const RESOURCE = {
  type: "resource",
  resource: { uri: "essai://ressource", mimeType: "text/plain", text: "Une ressource." },
} as unknown as Content;

const tool = (title: string, ...blocks: Content[]): Tool => ({
  title,
  description: `${title}, pour les essais. Pour « montre ».`,
  inputSchema: NOTHING,
  run: async () => blocks,
});

// biome-ignore lint/correctness/noUnusedVariables: the core block that follows reads it
const SERVER: Server = {
  name: "essai",
  title: "Porte d'essai",
  version: "0.0.0",
  instructions: "Une porte pour les essais.",
};

// biome-ignore lint/correctness/noUnusedVariables: the core block that follows reads it
const TOOLS: Tools = {
  test_simple_text: tool("Un texte", TEXT),
  test_image_content: tool("Une image", IMAGE),
  test_audio_content: tool("Un son", AUDIO),
  test_embedded_resource: tool("Une ressource", RESOURCE),
  test_multiple_content_types: tool("Trois sortes de blocs", TEXT, IMAGE, RESOURCE),
  test_error_handling: {
    ...tool("Un refus"),
    run: async () => {
      throw new Refusal("Je refuse. Ça ne dure pas. Ça ne veut rien dire. Redemande.");
    },
  },
  // Called to see that nothing else comes with its answer: no line of a log, no request of the server's own.
  test_logging_tool: tool("Un texte et aucun message", TEXT),
  test_streaming_elicitation: tool("Un texte et aucune question", TEXT),
  test_missing_capability: tool("Un outil à verrou", TEXT),
  json_schema_2020_12_tool: {
    ...tool("Un schéma de 2020-12", TEXT),
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    } as unknown as Schema,
  },
};

/**
 * Refuses one tool to a client that can't sample. No door needs a client's capability, so the core has no word for it: this
 * one says it where a door puts its lock.
 */
// biome-ignore lint/correctness/noUnusedVariables: what the door exports
async function lock(request: Request, env: Env, ctx: Parameters<typeof serve>[2]): Promise<Response> {
  const call = await request
    .clone()
    .json()
    .catch(() => null);
  const { name, _meta } = call?.params ?? {};
  const isRefused = name === "test_missing_capability" && _meta?.[CAPABILITIES_KEY]?.sampling === undefined;
  if (!isRefused) return serve(request, env, ctx);
  return refuse(
    new RpcError(400, -32021, "Il faut « sampling ».", call.id, { requiredCapabilities: { sampling: {} } }),
  );
}
