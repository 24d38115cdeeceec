import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';

/** The identity provider that sends a request. */
export interface ScimContext {
  readonly organisationId: string;
  /** URL of the SCIM endpoints that it calls. */
  readonly base: string;
  readonly caller: AuditCaller;
  readonly dialect: Dialect;
}

export type Dialect = 'entra' | 'google' | 'jumpcloud' | 'okta' | 'onelogin' | 'other';

const DIALECTS: readonly (readonly [text: string, dialect: Dialect])[] = [
  ['okta', 'okta'],
  ['azure', 'entra'],
  ['google-auto-provisioning', 'google'],
  ['jumpcloud', 'jumpcloud'],
  ['onelogin', 'onelogin'],
];

/**
 * Returns the kind of identity provider by its `user-agent`. Only the form of a response to a PATCH
 * depends on it.
 */
export function dialectOf(userAgent: string | null): Dialect {
  const text = (userAgent ?? '').slice(0, 512).toLowerCase();
  return DIALECTS.find(([part]) => text.includes(part))?.[1] ?? 'other';
}
