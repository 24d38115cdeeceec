import { capabilitiesOf } from '@gw/auth-scopes';
import { GatewayError } from '@gw/kernel';
import type { Principal } from '../common/principal';

/** A closed setting is said first: its scopes are taken away with it, and only its name tells whom to ask. */
export function assertAllowed(caller: Principal, anyOf: readonly string[]): void {
  const closed = capabilitiesOf(anyOf).filter((capability) => caller.closed.has(capability));
  if (closed.length > 0 && caller.standing !== null) {
    const settings = closed.map((capability) => `${caller.standing ?? ''}${capability}`);
    throw new GatewayError('forbidden', {
      message: `The security settings do not allow this: ${settings.join(', ')} is off.`,
      extra: { security_settings: settings },
    });
  }
  assertScope(caller, anyOf);
}

export function assertScope(caller: Principal, anyOf: readonly string[]): void {
  if (anyOf.some((scope) => caller.scopes.has(scope))) return;
  throw new GatewayError('scope_missing', {
    message: `The credential lacks the scope ${anyOf.join(' or ')}.`,
    extra: { required_scopes: anyOf },
  });
}
