import { isDeepStrictEqual } from 'node:util';
import { GatewayError } from '@gw/kernel';
import { validationFailed } from '@gw/web';
import type { Principal } from '../common/principal';

type Fields = Readonly<Record<string, unknown>>;

/** Both by the path of the field in a request. */
export interface BoundSecrets {
  /** Everything that decides where the secrets are sent; an absent field and null are the same. */
  readonly addresses: Fields;
  readonly secrets: Fields;
}

/**
 * A saved secret is bound to the address that it was saved with, or a caller who may change the address could send it to a host of
 * their own. Throws `validation_failed` where an address changes and a secret is kept that the same write does not give again.
 * `given`: the paths of the secrets that it gives in the clear; a mask gives nothing.
 */
export function assertSecretsStay(saved: BoundSecrets, next: BoundSecrets, given: ReadonlySet<string>): void {
  const kept = Object.keys(next.secrets).filter((path) => isSet(saved.secrets[path]) && !given.has(path));
  if (kept.length === 0) return;
  const moved = movedAddresses(saved.addresses, next.addresses);
  if (moved.length === 0) return;
  throw validationFailed([
    ...kept.map((path) => ({
      path,
      message: `must be given again, or cleared: ${moved.join(', ')} decides where it is sent`,
    })),
    ...moved.map((path) => ({ path, message: `can not change while the saved ${kept.join(', ')} is kept` })),
  ]);
}

export const movedAddresses = (saved: Fields, next: Fields): string[] =>
  [...new Set([...Object.keys(saved), ...Object.keys(next)])].filter(
    (path) => !isDeepStrictEqual(saved[path] ?? null, next[path] ?? null),
  );

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

const AIM = 'secret_references.update';

/**
 * The caller who names a secret of a manager does not know it, so that naming it again proves nothing: only those who may change the
 * reference decide on an address for its secret. Throws `scope_missing`, naming the address.
 */
export function assertMayAim({ scopes }: Pick<Principal, 'scopes'>, path: string): void {
  if (scopes.has(AIM)) return;
  throw new GatewayError('scope_missing', {
    param: path,
    message: `${path} would send a secret of a secret manager to another address; that needs the scope ${AIM}.`,
    extra: { required_scopes: [AIM] },
  });
}
