import { capabilitiesOf } from '@gw/auth-scopes';
import { GatewayError } from '@gw/kernel';
import type { Principal } from '../common/principal';

/**
 * Checks that the caller holds one of the scopes. Throws `forbidden` or `scope_missing`. Checks
 * security settings first: a setting that is off also removes its scopes, and only the setting's
 * name tells the caller what to change.
 */
export function assertAllowed(caller: Principal, anyOf: readonly string[]): void {
  const closed = capabilitiesOf(anyOf).filter((capability) => caller.removedCapabilities.has(capability));
  if (closed.length > 0 && caller.settingGroup !== null) {
    const settings = closed.map((capability) => `${caller.settingGroup ?? ''}${capability}`);
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
