import { canonicalScope, OVERRIDE_DEFAULTS, SECURITY_SETTINGS } from '@gw/auth-scopes';
import { sorted, type Members } from '../members';

/** All visibility and permission settings with their defaults. */
export const SECURITY: Members = Object.fromEntries(
  SECURITY_SETTINGS.map(({ name, fallback }) => [name, { fallback }]),
);

/** Categories that workspaces may set themselves. */
export const WORKSPACE_OVERRIDES: Members = Object.fromEntries(
  Object.entries(OVERRIDE_DEFAULTS).map(([category, fallback]) => [category, { fallback }]),
);

const PERIOD_DAYS: Readonly<Record<string, number>> = { weekly: 7, monthly: 30 };

/** Named periods are stored as days. */
export const rotationDays = (value: unknown): unknown => PERIOD_DAYS[String(value)] ?? value;

/** Normalises scopes to the catalogue's spelling, sorted and without duplicates. */
export const canonicalScopes = (value: unknown): unknown =>
  Array.isArray(value) ? sorted([...new Set(value.map((scope) => canonicalScope(String(scope))))]) : value;
