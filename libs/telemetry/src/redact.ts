import { mayHoldSecrets } from './secret-shapes';
import { valueEnd } from './string-values';

export const REDACTED = '[redacted]';

/** Names of secrets in any place, in lower case and without `-`, `_`, `.`. */
const SECRET_NAME =
  /^(?:(?:proxy)?authorization|(?:set)?cookie|credentials?|jwt)$|(?:apikey|accesskey|accesskeyid|secretkey|privatekey|virtualkey|token|secret|signature|password|passwd|passphrase)$/;
/** Names of secrets in a query that are ordinary words in metadata. */
const SECRET_IN_QUERY =
  /^(?:key|auth|code|codeverifier|sas|sig|assertion|clientassertion|xamzcredential|xgoogcredential)$/;

const plain = (name: string): string => name.toLowerCase().replace(/[-_.[\]]/g, '');

/**
 * Returns the URL (or path) with the values of secret query parameters replaced, and without user
 * info and fragment. The other bytes stay unchanged.
 */
export function redactUrl(url: string): string {
  const hash = url.indexOf('#');
  const whole = hash === -1 ? url : url.slice(0, hash);
  const mark = whole.indexOf('?');
  const path = withoutUserInfo(mark === -1 ? whole : whole.slice(0, mark));
  return mark === -1 ? path : `${path}?${redactQuery(whole.slice(mark + 1))}`;
}

function redactQuery(query: string): string {
  return query
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals === -1 || equals === pair.length - 1) return pair;
      const name = pair.slice(0, equals);
      const plainName = plain(decoded(name));
      const isSecret = SECRET_NAME.test(plainName) || SECRET_IN_QUERY.test(plainName);
      return isSecret ? `${name}=${REDACTED}` : pair;
    })
    .join('&');
}

const withoutUserInfo = (path: string): string =>
  path.includes('@') ? path.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/]*@/i, '$1//') : path;

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

/**
 * Returns metadata with secrets replaced: values under a secret name, and values in the format of a
 * credential.
 */
export function redactMetadata(metadata: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  let changed: Record<string, string> | null = null;
  for (const name in metadata) {
    const value = metadata[name] as string;
    if (!SECRET_NAME.test(plain(name)) && !holdsSecret(value)) continue;
    changed ??= { ...metadata };
    changed[name] = REDACTED;
  }
  return changed ?? metadata;
}

/**
 * Credentials by their public formats: bearer values, provider and gateway keys, JSON web tokens,
 * private keys. `secret-shapes.ts` must list how each of them begins. Each alternative matches
 * greedily and cannot backtrack, so no text makes it scan the same characters repeatedly.
 */
const SECRETS_IN_TEXT =
  /\b(?:[Bb]earer\s+(?=\S{8}))[^\s"'\\]+|\b(?:sk|gw|vk|pk|rk|hvs|ghp|gho|xoxb|xoxp)[-_.][A-Za-z0-9][A-Za-z0-9_-]{10,}|\b(?:AKIA|ASIA|AIza)[A-Za-z0-9_-]{12,}|\beyJ[\w-]{8,}(\.[\w-]+\.[\w-]*)?|-----BEGIN [A-Z ]*PRIVATE KEY[^"]*/g;
/**
 * The beginning of a text value under the name of a secret. A bare `token` is not such a name,
 * because responses use it often. `secret-shapes.ts` must list how each name ends. In JSON within
 * strings of JSON, as the arguments of tool calls are written, 1, 3, 7 or 15 backslashes precede
 * each quotation mark.
 */
const SECRET_MEMBERS =
  /"[\w-]{0,64}(?:api[-_]?key|access[-_]?key|secret[-_]?key|private[-_]?key|client[-_]?secret|secret|password|passphrase|authorization|(?:access|refresh|id|auth|session|bearer)[-_]?token|code[-_]?verifier)(\\{15}|\\{7}|\\{3}|\\|)"\s*:\s*\1"/gi;

function withoutMembers(text: string): string {
  let written = '';
  let from = 0;
  SECRET_MEMBERS.lastIndex = 0;
  for (let found = SECRET_MEMBERS.exec(text); found !== null; found = SECRET_MEMBERS.exec(text)) {
    const start = SECRET_MEMBERS.lastIndex;
    const end = valueEnd(text, start, (found[1] as string).length);
    if (end > start) {
      written += text.slice(from, start) + REDACTED;
      from = end;
    }
    SECRET_MEMBERS.lastIndex = end;
  }
  return from === 0 ? text : written + text.slice(from);
}

/**
 * Replaces credentials. A JSON web token has three parts; a word that only begins like one stays.
 */
const withoutShapes = (text: string): string =>
  text.replace(SECRETS_IN_TEXT, (found: string, parts: string | undefined) =>
    found.startsWith('eyJ') && parts === undefined ? found : REDACTED,
  );

/** Replaces credentials in a text, and secrets in the query of a URL. */
export function redactString(text: string): string {
  const redacted = redactText(text);
  return /^(?:https?:\/\/|\/)\S*$/i.test(redacted) ? redactUrl(redacted) : redacted;
}

/**
 * Whether a name is that of a secret: of a member, an attribute or a header, alone or as the end of
 * a longer name.
 */
export const isSecretName = (name: string): boolean => {
  const last = name.split(/[.:/]/).at(-1) ?? '';
  return SECRET_NAME.test(plain(name)) || SECRET_NAME.test(plain(last));
};

/** Whether a text contains a credential in a public format. */
export const holdsSecret = (text: string): boolean => withoutShapes(text) !== text;

/**
 * Returns a body with credentials and the values of secret members replaced. The body may be cut
 * within a character, or have binary parts.
 */
export function redactBody(body: Buffer): Buffer {
  if (!mayHoldSecrets(body)) return body;
  // Latin-1: one character per byte. Replaced text is ASCII, and all other bytes stay unchanged.
  const text = body.toString('latin1');
  const redacted = redactText(text);
  return redacted === text ? body : Buffer.from(redacted, 'latin1');
}

/** Like `redactBody`, for a Latin-1 text. */
export const redactText = (text: string): string => withoutShapes(withoutMembers(text));

/**
 * Returns a JSON value with the values of secret members and the credentials in its texts replaced.
 * The nesting of the value must be bounded.
 */
export function redactJson(value: unknown): unknown {
  if (typeof value === 'string') return redactString(value);
  if (Array.isArray(value)) return value.map(redactJson);
  if (typeof value !== 'object' || value === null) return value;
  const members = new Map<string, unknown>();
  const numbers = new Map<string, number>();
  for (const [name, item] of Object.entries(value) as [string, unknown][]) {
    const isHidden = isSecretMember(name) && item !== null && item !== '';
    members.set(unusedName(members, numbers, redactString(name)), isHidden ? REDACTED : redactJson(item));
  }
  return Object.fromEntries(members);
}

/**
 * Names that are alike once credentials are replaced get a number, so that no member hides another.
 * `numbers`: the next number of each name, so that no number is compared twice.
 */
function unusedName(
  members: ReadonlyMap<string, unknown>,
  numbers: Map<string, number>,
  name: string,
): string {
  if (!members.has(name)) return name;
  let at = numbers.get(name) ?? members.size + 1;
  while (members.has(`${name} ${String(at)}`)) at += 1;
  numbers.set(name, at + 1);
  return `${name} ${String(at)}`;
}

const isSecretMember = (name: string): boolean => isSecretName(name) || plain(name).endsWith('codeverifier');
