/** Shorter values are words of every text. */
const SECRET_MIN = 8;
const MASK = '*****';

/**
 * The body of a response without the credential that the gateway sent, which some services repeat, such
 * as in an error. `headers`: those of the credential.
 */
export function withoutSecrets(body: Buffer, headers: Readonly<Record<string, string>>): Buffer {
  const values = Object.values(headers).flatMap((value) => [value, value.slice(value.lastIndexOf(' ') + 1)]);
  const found = values.filter((value) => value.length >= SECRET_MIN && body.includes(value));
  if (found.length === 0) return body;
  return Buffer.from(
    found.reduce((text, value) => text.replaceAll(value, MASK), body.toString('latin1')),
    'latin1',
  );
}
