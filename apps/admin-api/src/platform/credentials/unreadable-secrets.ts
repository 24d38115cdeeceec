import { GatewayError, randomHex, unseal, type ErrorDetail, type Keyring } from '@gw/kernel';
import { validationFailed } from '@gw/web';
import { isMaskedHeader } from './header-map';

/**
 * Placeholder for a stored secret that cannot be opened while a request changes its row. Random, so
 * that no request contains it.
 */
export const UNREADABLE = `unreadable-${randomHex(16)}`;

/** Why a stored secret is of no use, and what to do. */
export const UNREADABLE_MESSAGE =
  'A stored secret cannot be opened with the keys of the installation; save the secret again.';

/**
 * Opens a sealed value and parses its JSON. Throws `conflict` when the keys of the installation do
 * not open the value.
 */
export function openJson<T>(keyring: Keyring, sealed: string, binding: string): T {
  try {
    return JSON.parse(unseal(keyring, sealed, binding).toString('utf8')) as T;
  } catch (cause) {
    throw new GatewayError('conflict', { message: UNREADABLE_MESSAGE, cause });
  }
}

/** Returns the result of `open`, or `fallback` when the stored secret cannot be opened. */
export function openedOr<T>(open: () => T, fallback: () => T): T {
  try {
    return open();
  } catch {
    return fallback();
  }
}

/** Returns the secrets that these masks hide, with `UNREADABLE` in place of each hidden text. */
export const unreadable = (masks: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(masks).map(([name, mask]: [string, unknown]) => [
      name,
      typeof mask === 'object' && mask !== null ? unreadableHeaders(mask) : UNREADABLE,
    ]),
  );

/** Does the same for a map of headers, whose masks show the values that are no credentials. */
export const unreadableHeaders = (masks: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(masks).map(([name, mask]: [string, unknown]) => [
      name,
      isMaskedHeader(mask) ? UNREADABLE : mask,
    ]),
  );

/** Returns the paths of the secrets that cannot be opened. */
export const unreadablePaths = (secrets: Readonly<Record<string, unknown>>): ReadonlySet<string> =>
  new Set(Object.keys(secrets).filter((path) => secrets[path] === UNREADABLE));

/**
 * Throws `validation_failed` for secrets that cannot be opened, because the others cannot be sealed
 * without them.
 */
export function assertSentAgain(paths: ReadonlySet<string>): void {
  if (paths.size === 0) return;
  const message = 'must be sent again or cleared, because the stored value cannot be opened';
  throw validationFailed([...paths].map((path): ErrorDetail => ({ path, message })));
}
