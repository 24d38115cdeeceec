/** Minimum length of a value to mask; shorter values may be ordinary words. */
const SECRET_MIN = 8;
const MASK = '*****';

/**
 * Masks the credential that the gateway sent in the body of a response, because some services
 * repeat it, for example in an error. `headers` are those of the credential.
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
