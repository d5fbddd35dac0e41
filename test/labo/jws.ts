// Signed objects made by hand, to forge what no library would sign.

export type Claims = Record<string, unknown>;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

export function base64url(value: string | ArrayBuffer | Uint8Array): string {
  const bytes = typeof value === "string" ? encode(value) : new Uint8Array(value);
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

function textOf(part: string): string {
  const binary = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}

/** The header and the claims of a signed object, unverified. */
export function readJws(token: string): { header: Claims; claims: Claims } {
  const [header, claims] = token.split(".");
  return { header: JSON.parse(textOf(header)), claims: JSON.parse(textOf(claims)) };
}

export async function sha256(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", encode(text));
}

/** A compact JWS; `sign` gets the bytes to sign. */
export async function jws(
  header: Claims,
  claims: Claims,
  sign: (bytes: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer> | ArrayBuffer,
): Promise<string> {
  const signed = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`;
  return `${signed}.${base64url(await sign(encode(signed)))}`;
}

/** What signs with a secret of HMAC. */
export function hmac(secret: ArrayBuffer | Uint8Array<ArrayBuffer>, hash = "SHA-256") {
  return async (bytes: Uint8Array<ArrayBuffer>) => {
    const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash }, false, ["sign"]);
    return crypto.subtle.sign("HMAC", key, bytes);
  };
}

/** What signs with a private key of RSA. */
export function rsa(key: CryptoKey) {
  return (bytes: Uint8Array<ArrayBuffer>) => crypto.subtle.sign("RSASSA-PKCS1-v1_5", key, bytes);
}

export async function rsaPair(): Promise<CryptoKeyPair> {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  return (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
}

/** The key of one kind of token, as OAUTH.md section 9.1 derives it from a root secret in base64. */
export async function deriveKey(root: string, kind: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(root), (character) => character.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: encode("labo-mcp/v1"), info: encode(kind) };
  return crypto.subtle.deriveBits(hkdf, key, 256);
}

/** Another spelling of the same signature: the last character of 32 bytes has two bits that mean nothing. */
export function respell(token: string): string {
  const last = ALPHABET.indexOf(token.at(-1) ?? "");
  return token.slice(0, -1) + ALPHABET[last ^ 1];
}
