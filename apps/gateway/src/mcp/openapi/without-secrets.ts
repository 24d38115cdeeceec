/** Minimum length of a value to mask; shorter values may be ordinary words. */
const SECRET_MIN = 8;
const MASK = '*****';

/**
 * Masks the credential that the gateway sent in the body of a response, because some services
 * repeat it, for example in an error: as it is, in a text of JSON, or percent-encoded. `headers` are
 * those of the credential.
 */
export function withoutSecrets(body: Buffer, headers: Readonly<Record<string, string>>): Buffer {
  const values = Object.values(headers).flatMap((value) => [value, value.slice(value.lastIndexOf(' ') + 1)]);
  const forms = new Set(values.filter((value) => value.length >= SECRET_MIN).flatMap(formsOf));
  const found = [...forms].filter((form) => body.includes(form));
  if (found.length === 0) return body;
  return Buffer.from(
    found.reduce((text, form) => text.replaceAll(form, MASK), body.toString('latin1')),
    'latin1',
  );
}

/** Returns the forms in which a service may repeat a value; some escape slashes in JSON. */
function formsOf(value: string): readonly string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  return [value, inJson, inJson.replaceAll('/', '\\/'), encodeURIComponent(value)];
}
