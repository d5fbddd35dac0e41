// Serves doors for a test that needs dozens, each in a workerd of its own: the start of Node and of Wrangler is most of a
// door's. Asked by messages: `{ id, name, vars }` for a door, `{ id }` for its end; answers `{ id, url }` or `{ id, error }`,
// then `{ id, line }` for each line that it says, and `{ id }` when it has ended.
import { open } from "../scripts/workerd.mjs";

/** @type {Map<number, ReturnType<typeof open>>} */
const doors = new Map();
const tell = (/** @type {object} */ message) => void process.send?.(message);

process.on("message", async (/** @type {{ id: number, name?: string, vars?: Record<string, string> }} */ asked) => {
  const { id, name, vars } = asked;
  try {
    if (name === undefined) {
      await (await doors.get(id))?.close();
      tell({ id });
      return;
    }
    const door = open({ name, port: 0, vars }, (line) => tell({ id, line }));
    doors.set(id, door);
    tell({ id, url: (await door).url });
  } catch (error) {
    tell({ id, error: String(error) });
  }
});

// Whatever has ended its parent: the doors go with it.
process.once("disconnect", () => process.exit());
