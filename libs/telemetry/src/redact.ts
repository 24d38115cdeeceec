import { isUtf8 } from 'node:buffer';
import { mayHoldSecrets } from './secret-shapes';

export const REDACTED = '[redacted]';

/** Names, in lower case and without `-`, `_`, `.`, that hold a secret wherever they occur. */
const SECRET_NAME =
  /^(?:(?:proxy)?authorization|(?:set)?cookie|credentials?|jwt)$|(?:apikey|accesskey|accesskeyid|secretkey|privatekey|virtualkey|token|secret|signature|password|passwd|passphrase)$/;
/** Names that hold one in a query, but are ordinary words in metadata. */
const SECRET_IN_QUERY =
  /^(?:key|auth|code|codeverifier|sas|sig|assertion|clientassertion|xamzcredential|xgoogcredential)$/;

const plain = (name: string): string => name.toLowerCase().replace(/[-_.[\]]/g, '');

/**
 * The URL (or path) with the values of secret query parameters replaced, credentials before the host and the fragment removed.
 * What is no secret keeps its bytes.
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

/** Metadata with secrets replaced: values under a secret name, and values that have the shape of a credential. */
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
 * Credentials by their public shapes: bearer values, provider and gateway keys, JSON web tokens, private keys. `secret-shapes.ts`
 * must know how each of them begins. Each takes all that it can and never gives any of it back, so that no text makes it go over
 * the same characters again and again.
 */
const SECRETS_IN_TEXT =
  /\b(?:[Bb]earer\s+(?=\S{8}))[^\s"'\\]+|\b(?:sk|gw|vk|pk|rk|hvs|ghp|gho|xoxb|xoxp)[-_.][A-Za-z0-9][A-Za-z0-9_-]{10,}|\b(?:AKIA|ASIA|AIza)[A-Za-z0-9_-]{12,}|\beyJ[\w-]{8,}(\.[\w-]+\.[\w-]*)?|-----BEGIN [A-Z ]*PRIVATE KEY[^"]*/g;
/**
 * Names of members that hold a secret. A bare `token` is not among them: answers are full of those. `secret-shapes.ts` must know how
 * each name ends.
 */
const SECRET_MEMBERS =
  /("(?:[\w-]{0,64}(?:api[-_]?key|access[-_]?key|secret[-_]?key|private[-_]?key|client[-_]?secret|secret|password|passphrase|authorization|(?:access|refresh|id|auth|session|bearer)[-_]?token|code[-_]?verifier))"\s*:\s*")(?:[^"\\]|\\.)+/gi;

/** A JSON web token has three parts; a word that only begins like one stays. */
const withoutShapes = (text: string): string =>
  text.replace(SECRETS_IN_TEXT, (found: string, parts: string | undefined) =>
    found.startsWith('eyJ') && parts === undefined ? found : REDACTED,
  );

/** Text with what has the shape of a credential replaced, and secrets in the queries of a URL. */
export function redactString(text: string): string {
  const redacted = redactText(text);
  return /^(?:https?:\/\/|\/)\S*$/i.test(redacted) ? redactUrl(redacted) : redacted;
}

/** Whether a name is one under which secrets are kept: of a member, an attribute or a header, alone or at the end of a longer name. */
export const isSecretName = (name: string): boolean => {
  const last = name.split(/[.:/]/).at(-1) ?? '';
  return SECRET_NAME.test(plain(name)) || SECRET_NAME.test(plain(last));
};

/** Whether a text holds something with the public shape of a credential. */
export const holdsSecret = (text: string): boolean => withoutShapes(text) !== text;

/** A body with what has the shape or the name of a credential replaced. What is no text stays as it is. */
export function redactBody(body: Buffer): Buffer {
  if (!mayHoldSecrets(body) || !isUtf8(body)) return body;
  // One character for each byte: what is replaced is ASCII, and all else stays byte for byte.
  const text = body.toString('latin1');
  const redacted = redactText(text);
  return redacted === text ? body : Buffer.from(redacted, 'latin1');
}

/** Latin-1 text with the same replaced. */
export const redactText = (text: string): string =>
  withoutShapes(text.replace(SECRET_MEMBERS, `$1${REDACTED}`));
