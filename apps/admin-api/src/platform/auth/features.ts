import { GatewayError } from '@gw/kernel';
import { FEATURE_SETTINGS, type AdminSettings } from '../../settings';

type Feature =
  | 'AUDIT_LOGS_ENABLED'
  | 'GUARDRAILS_ENABLED'
  | 'DATA_EXPORTS_ENABLED'
  | 'USAGE_LIMITS_ENABLED'
  | 'POLICY_ENABLED'
  | 'SCIM_ENABLED';

/**
 * Routes of each feature, below `/v1` and `/v2`: a path and everything below it. A path may belong
 * to several features.
 */
export const FEATURE_ROUTES: Readonly<Record<Feature, readonly string[]>> = {
  AUDIT_LOGS_ENABLED: ['audit-logs'],
  GUARDRAILS_ENABLED: ['guardrails', 'workspace-exclusions', 'admin/organisation/defaults'],
  DATA_EXPORTS_ENABLED: ['logs/exports'],
  USAGE_LIMITS_ENABLED: ['policies/usage-limits'],
  POLICY_ENABLED: ['policies'],
  SCIM_ENABLED: ['scim'],
};

/** Returns the disabled feature to which a route belongs; null for a route that is open. */
function closedFeature(route: string, settings: Pick<AdminSettings, Feature>): Feature | null {
  const path = route.replace(/^\/v[12]\//, '');
  for (const [feature, prefixes] of Object.entries(FEATURE_ROUTES) as [Feature, readonly string[]][]) {
    if (settings[feature]) continue;
    if (prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))) return feature;
  }
  return null;
}

export const isEnabled = (route: string, settings: Pick<AdminSettings, Feature>): boolean =>
  closedFeature(route, settings) === null;

/**
 * Throws `feature_disabled` for a route of a feature that is off; `not_found` for SCIM, as identity
 * providers expect.
 */
export function assertEnabled(route: string, settings: Pick<AdminSettings, Feature>): void {
  const feature = closedFeature(route, settings);
  if (feature !== null) throw new GatewayError(feature === 'SCIM_ENABLED' ? 'not_found' : 'feature_disabled');
}

type Switch = keyof typeof FEATURE_SETTINGS;

/** Whether each feature is on, by its name: `audit_logs` for `AUDIT_LOGS_ENABLED`. */
export function switchesOf(settings: Pick<AdminSettings, Switch>): Record<string, boolean> {
  const names = Object.keys(FEATURE_SETTINGS) as Switch[];
  return Object.fromEntries(
    names.map((name) => [name.replace(/_ENABLED$/, '').toLowerCase(), settings[name]]),
  );
}
