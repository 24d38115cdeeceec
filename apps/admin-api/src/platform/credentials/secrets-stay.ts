import { isDeepStrictEqual } from 'node:util';
import { GatewayError } from '@gw/kernel';
import { validationFailed } from '@gw/web';
import type { Principal } from '../common/principal';

type Fields = Readonly<Record<string, unknown>>;

/** Address fields and secrets, each by the path of the field in a request. */
export interface BoundSecrets {
  /** Every field that decides where the secrets are sent. An absent field and null are equal. */
  readonly addresses: Fields;
  readonly secrets: Fields;
}

/**
 * Throws `validation_failed` when the request changes an address and keeps a saved secret without
 * sending it again. Otherwise a caller who may change the address could send the secret to a host
 * of their own. `given` contains the paths of the secrets that the request contains in clear text;
 * a masked value does not count.
 */
export function assertSecretsStay(saved: BoundSecrets, next: BoundSecrets, given: ReadonlySet<string>): void {
  const keptPaths = Object.keys(next.secrets).filter(
    (path) => isSet(saved.secrets[path]) && !given.has(path),
  );
  if (keptPaths.length === 0) return;
  const moved = movedAddresses(saved.addresses, next.addresses);
  if (moved.length === 0) return;
  throw validationFailed([
    ...keptPaths.map((path) => ({
      path,
      message: `must be sent again or cleared, because ${moved.join(', ')} decides where it is sent`,
    })),
    ...moved.map((path) => ({
      path,
      message: `cannot change while the saved ${keptPaths.join(', ')} is kept; send the secret again or clear it`,
    })),
  ]);
}

export const movedAddresses = (saved: Fields, next: Fields): string[] =>
  [...new Set([...Object.keys(saved), ...Object.keys(next)])].filter(
    (path) => !isDeepStrictEqual(saved[path] ?? null, next[path] ?? null),
  );

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

const AIM = 'secret_references.update';

/**
 * Throws `scope_missing`, naming the address, unless the caller may change secret references.
 * Callers can map a secret without knowing it, so mapping it again does not prove that they may
 * choose where it is sent.
 */
export function assertMayAim({ scopes }: Pick<Principal, 'scopes'>, path: string): void {
  if (scopes.has(AIM)) return;
  throw new GatewayError('scope_missing', {
    param: path,
    message: `${path} would send a secret of a secret manager to another address; that needs the scope ${AIM}.`,
    extra: { required_scopes: [AIM] },
  });
}
