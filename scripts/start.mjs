// npm start: every door, with the real sources.
import { command, UsageError } from "./command.mjs";
import { curl, FLEET, LABO, secretsOfLabo, serve } from "./workerd.mjs";

const HELP = `npm start

Starts every door in workerd, the brake bound, and prints for each its address and a curl line that asks it a question:

${Object.entries(FLEET)
  .map(([name, { port }]) => `  ${name.padEnd(10)} http://127.0.0.1:${port}/mcp`)
  .join("\n")}
  ${LABO.name.padEnd(10)} http://127.0.0.1:${LABO.port}/mcp, the private door, once \`npm run labo:keys\` has made its secrets;
             nobody signs in there, since Cloudflare Access stands only before a deployed one: \`npm run demo\` has a stand-in

The sources are the real ones; without internet the doors start all the same, and say that nothing answers.
\`npm run demo\` plays a made-up evening instead. Ctrl-C ends it. Exit code 2 when a port is taken, 1 when
the index of the articles can't be built.`;

await command(HELP, {}, async (_, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  const doors = Object.entries(FLEET);
  const { present, missing } = await secretsOfLabo();
  if (present.length > 0 && missing.length > 0) {
    console.error(`labo isn't started: ${missing.join()} is missing; npm run labo:keys makes it`);
  }
  const served = [...doors, ...(missing.length === 0 ? [/** @type {const} */ ([LABO.name, LABO])] : [])];
  const urls = await serve(served.map(([name, { port }]) => ({ name, port, brake: true })));
  for (const [index, [name, { port, question }]] of doors.entries()) {
    console.log(`${name}  ${urls[index]}\n  ${curl(port, question)}`);
  }
  if (urls.length > doors.length) {
    const url = urls[doors.length];
    const { status } = await fetch(url, { method: "POST" });
    const why =
      status === 503
        ? "503: a setting is missing or wrong, and the line above says which"
        : `${status} without a token, and Access stands only before a deployed one`;
    console.log(`${LABO.name}  ${url}\n  # ${why}`);
  }
});
