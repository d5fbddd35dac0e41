// Return addresses, of each kind of OAUTH.md section 6: those that the door takes, and the tricks.

export const ACCEPTED = [
  "https://claude.ai/api/mcp/auth_callback",
  "https://claude.com/api/mcp/auth_callback",
  "http://localhost:51877/callback",
  "http://localhost:1/callback",
  "http://localhost:80/callback",
  "http://127.0.0.1:65535/callback",
  "http://127.0.0.1:6276/oauth/callback",
  "http://[::1]:8085/oauth/callback",
  "http://127.0.0.1:1455/callback/Ab_9-z",
  `http://localhost:1455/callback/${"x".repeat(64)}`,
];

const CLAUDE = "https://claude.ai/api/mcp/auth_callback";
/** By kind of trick: not one of them may come back in a `Location`. */
export const REFUSED: Record<string, unknown[]> = {
  userinfo: ["https://claude.ai@evil.test/api/mcp/auth_callback", "https://x:y@claude.ai/api/mcp/auth_callback"],
  "a host around the host": [
    "https://claude.ai.evil.test/api/mcp/auth_callback",
    "https://evilclaude.ai/api/mcp/auth_callback",
    "https://www.claude.ai/api/mcp/auth_callback",
    "https://evil.test/claude.ai/api/mcp/auth_callback",
  ],
  "another spelling of the host": [
    "https://claude.ai./api/mcp/auth_callback",
    "https://CLAUDE.AI/api/mcp/auth_callback",
    "HTTPS://claude.ai/api/mcp/auth_callback",
    "https://claude.ai:443/api/mcp/auth_callback",
    "https://claude.ai:8443/api/mcp/auth_callback",
  ],
  "a host that looks the same": [
    "https://cl\u0430ude.ai/api/mcp/auth_callback",
    "https://xn--clude-4qa.ai/api/mcp/auth_callback",
    "https://claude\u3002ai/api/mcp/auth_callback",
    "http://l\u043ecalhost:80/callback",
    "http://\uff4cocalhost:80/callback",
  ],
  path: [
    "https://claude.ai/api/mcp/../x/auth_callback",
    "https://claude.ai/api/mcp/./auth_callback",
    "https://claude.ai/api/mcp/%61uth_callback",
    `${CLAUDE}/`,
    "https://claude.ai//api/mcp/auth_callback",
    "https://claude.ai/api/mcp/AUTH_CALLBACK",
    "https://claude.ai/",
    "https://claude.ai",
  ],
  "query or fragment": [
    `${CLAUDE}?x=1`,
    `${CLAUDE}?`,
    `${CLAUDE}#frag`,
    `${CLAUDE}#`,
    "http://localhost:80/callback?x",
    "http://localhost:80/callback#x",
    "http://localhost:80/callback?",
  ],
  "parsers that disagree": [
    "https://claude.ai\\@evil.test/api/mcp/auth_callback",
    "https:/claude.ai/api/mcp/auth_callback",
    "https:claude.ai/api/mcp/auth_callback",
    "//claude.ai/api/mcp/auth_callback",
    ` ${CLAUDE}`,
    `${CLAUDE} `,
    `${CLAUDE}\n`,
    `${CLAUDE}\r\nSet-Cookie: a=b`,
    `${CLAUDE}\u0000`,
    "https://claude\t.ai/api/mcp/auth_callback",
    "http://localhost:80/callback\n",
    "http://localhost:80\\callback",
  ],
  "an address in front of one of the machine": [
    "xhttp://localhost:8080/callback",
    "https://evil.test/http://localhost:8080/callback",
    "https://evil.test/#http://localhost:8080/callback",
    "javascript:alert(1)//http://localhost:8080/callback",
  ],
  scheme: [
    "http://claude.ai/api/mcp/auth_callback",
    "javascript:alert(1)",
    "data:text/html,x",
    "claude://callback",
    "urn:ietf:wg:oauth:2.0:oob",
    "https://localhost:8080/callback",
    "ws://localhost:8080/callback",
  ],
  port: [
    "http://localhost/callback",
    "http://localhost:/callback",
    "http://localhost:0/callback",
    "http://localhost:65536/callback",
    "http://localhost:99999/callback",
    "http://localhost:08080/callback",
    "http://localhost:+80/callback",
    "http://localhost:8080a/callback",
  ],
  "what looks like loopback": [
    "http://localhost.evil.test:80/callback",
    "http://localhost@evil.test:80/callback",
    "http://evil.test:80@localhost:80/callback",
    "http://127.0.0.1.evil.test:80/callback",
    "http://127.1:80/callback",
    "http://127.0.0.2:80/callback",
    "http://2130706433:80/callback",
    "http://0x7f.1:80/callback",
    "http://0177.0.0.1:80/callback",
    "http://0.0.0.0:80/callback",
    "http://[::]:80/callback",
    "http://[::ffff:127.0.0.1]:80/callback",
    "http://[0:0:0:0:0:0:0:1]:80/callback",
    "http://LOCALHOST:80/callback",
    "http://localhost.:80/callback",
  ],
  "another path of the machine": [
    "http://localhost:80/",
    "http://localhost:80/callback/",
    "http://localhost:80/callback/a/b",
    "http://localhost:80/callback/a.b",
    "http://localhost:80/callback/..",
    "http://localhost:80/callback/%61",
    `http://localhost:80/callback/${"x".repeat(65)}`,
    "http://localhost:80//evil.test/callback",
    "http://localhost:80/oauth/oauth/callback",
    "http://localhost:80/OAuth/callback",
  ],
  "other products": [
    "https://chatgpt.com/connector/oauth/abc",
    "https://my.home-assistant.io/redirect/oauth",
    "https://evil.test/callback",
  ],
  "what is no text, or too much of it": [
    null,
    5,
    true,
    {},
    [],
    [CLAUDE],
    { href: CLAUDE },
    "",
    `http://localhost:80/callback/${"x".repeat(180)}`,
  ],
};

/** The vectors kept beside the recordings: one per line, what is expected of it, then a JSON string. */
export function readVectors(table: string): { accepted: string[]; refused: unknown[] } {
  const rows = table
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split("\t"))
    .map(([expected, json]) => ({ expected, value: JSON.parse(json) as unknown }));
  const kept = (kind: string) => rows.filter(({ expected }) => expected === kind).map(({ value }) => value);
  return { accepted: kept("accept") as string[], refused: kept("reject") };
}
