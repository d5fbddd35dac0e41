import "vitest";

/** What the configuration hands to the tests: real recorded responses by file name, or null without them. */
declare module "vitest" {
  interface ProvidedContext {
    recordings: Record<string, unknown> | null;
    /** Cases kept beside the recordings, as text by file name, or null without them. */
    shared: Record<string, string> | null;
    /** Whether the door is a private one, which the tests open with a token: it has no page, and rules of its own for origins. */
    isPrivate: boolean;
    /** The files of an index of the made-up blog in base64, by name. */
    blog: Record<string, string>;
  }
}
