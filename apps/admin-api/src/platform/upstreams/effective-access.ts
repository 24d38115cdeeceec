import {
  decidingRule,
  isKeyAllowed,
  type AccessCaller,
  type AccessCapability,
  type AccessRule,
  type AccessServer,
  type AccessVerdict,
} from '@gw/mcp';
import { TextField, UuidField } from '@gw/web';
import { UpstreamPage } from './upstream-page';

export const VERDICTS = ['allow', 'hidden', 'server_unknown', 'insufficient_scope'] as const;
export const REASONS = [
  'rule',
  'default',
  'user_access',
  'key',
  'integration_disabled',
  'server_disabled',
  'not_available',
  'scope',
] as const;
type EffectiveReason = (typeof REASONS)[number];

export class EffectiveQuery extends UpstreamPage {
  @UuidField({ optional: true, description: 'Id of a member of the workspace.' }) user_id?: string;
  @UuidField({ optional: true, description: 'Id of an API key of the workspace.' }) api_key_id?: string;
  @TextField({
    ...{ optional: true, max: 512 },
    description: 'Id of the OAuth client that the user signed in with; needs `user_id`.',
  })
  client_id?: string;
}

/** Verdict on a capability for a caller, with its reason. */
export interface Effect {
  readonly verdict: AccessVerdict['kind'];
  readonly reason: EffectiveReason;
  /** The rule that decided; null unless the reason is `rule`. */
  readonly rule: AccessRule | null;
}

/** Explains the verdict on a capability. */
export function effectOf(
  server: AccessServer,
  capability: AccessCapability,
  caller: AccessCaller,
  { kind: verdict }: AccessVerdict,
): Effect {
  const before = reasonBeforeRules(server, capability, caller, verdict);
  if (before !== null) return { verdict, reason: before, rule: null };
  const rule = decidingRule(server, capability.name, caller);
  return { verdict, reason: rule === null ? 'default' : 'rule', rule };
}

/**
 * Returns the reason that takes precedence over the rules of the server; null when the rules
 * decided.
 */
function reasonBeforeRules(
  server: AccessServer,
  capability: AccessCapability,
  { userId, key }: AccessCaller,
  verdict: string,
): EffectiveReason | null {
  if (verdict === 'insufficient_scope') return 'scope';
  if (verdict === 'server_unknown') return 'not_available';
  if (!capability.isEnabledAtIntegration) return 'integration_disabled';
  if (!capability.isEnabledAtServer) return 'server_disabled';
  const { userAccess } = server;
  const exception = userId === null ? undefined : userAccess.exceptions.get(userId);
  if (!(exception ?? userAccess.isAllowed)) return 'user_access';
  return isKeyAllowed(server, capability, key) ? null : 'key';
}
