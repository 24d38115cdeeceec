import { A2aError } from './errors';

/** Supported versions of A2A, as `Major.Minor` (A2A 1.0, section 3.6). */
export const A2A_VERSIONS = ['0.3', '1.0'] as const;
export type A2aVersion = (typeof A2A_VERSIONS)[number];

/**
 * Name of the header that carries the version, in lower case. The query parameter has the same
 * name.
 */
export const VERSION_HEADER = 'a2a-version';

/** Name of the header that lists extensions, in lower case. */
export const EXTENSIONS_HEADER: Readonly<Record<A2aVersion, string>> = {
  '0.3': 'x-a2a-extensions',
  '1.0': 'a2a-extensions',
};

/** Names of the headers that A2A defines, in lower case. Only the gateway sends them to agents. */
export const PROTOCOL_HEADERS: ReadonlySet<string> = new Set([
  VERSION_HEADER,
  ...Object.values(EXTENSIONS_HEADER),
]);

/**
 * How a request names its version: the header and the query parameter `A2A-Version`, where present.
 */
export interface VersionSignals {
  readonly header?: string | null | undefined;
  readonly query?: string | null | undefined;
}

/** `Major.Minor`. A patch number is accepted and ignored, as A2A 1.0 requires. */
const FORM = /^(\d{1,3}\.\d{1,3})(?:\.\d{1,5})?$/;

/** Returns the version that a text names; null when it is unsupported or not a version. */
export function knownVersion(text: string): A2aVersion | null {
  const [, name] = FORM.exec(text.trim()) ?? [];
  return A2A_VERSIONS.find((version) => version === name) ?? null;
}

/**
 * Returns the version that a request names; null when it names none. The header takes precedence
 * over the query parameter; an empty value counts as absent. Throws `A2aError`
 * `versionNotSupported`.
 */
export function requestedVersion({ header, query }: VersionSignals): A2aVersion | null {
  const text = [header, query].find((each) => each !== null && each !== undefined && each.trim() !== '');
  if (text === undefined || text === null) return null;
  const version = knownVersion(text);
  if (version === null)
    throw new A2aError('versionNotSupported', `A2A-Version must be one of ${A2A_VERSIONS.join(', ')}.`);
  return version;
}

/**
 * Shape of an agent card. `hybrid` has the members of 0.3 next to `supportedInterfaces`; `1.0` has
 * only those of 1.0.
 */
export type CardForm = 'hybrid' | '1.0';

/**
 * Returns the form of the card for a request with this header `A2A-Version`: `hybrid` without a
 * version and for 0.3, `1.0` for 1.0 and for any other text. Never throws, because clients discover
 * the versions of an agent in its card.
 */
export const cardFormFor = (header: string | null | undefined): CardForm =>
  header === null || header === undefined || header.trim() === '' || knownVersion(header) === '0.3'
    ? 'hybrid'
    : '1.0';
