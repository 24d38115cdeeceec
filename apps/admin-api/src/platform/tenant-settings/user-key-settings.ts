import { canonicalScope, isScope, OVERRIDE_DEFAULTS, scopesAllowedFor } from '@gw/auth-scopes';
import type { OrganisationEntity, UserKeySettings, WorkspaceEntity } from '@gw/entities';
import { validationFailed } from '@gw/web';
import { rotationDays, type UserKeySettingsResponse, type UserKeySettingsDto } from './user-key-settings.dto';

type Organisation = Pick<OrganisationEntity, 'settings' | 'workspaceOverrides'>;
type Workspace = Pick<WorkspaceEntity, 'settings' | 'isDefault'>;

/** Whether the organisation allows its workspaces to override a category of settings. */
export const mayOverride = (
  organisation: Pick<OrganisationEntity, 'workspaceOverrides'>,
  category: string,
): boolean => organisation.workspaceOverrides[category] ?? OVERRIDE_DEFAULTS[category] ?? false;

/** The rules for user keys in force in a workspace. */
export interface UserKeyRules {
  /** Maximum number of keys per user; -1 for no limit. */
  readonly count: number;
  /** Default lifetime in seconds; 0 for none. */
  readonly ttl: number;
  readonly maxTtl: number;
  /** Enforced rotation period in days; 0 for none. */
  readonly rotationDays: number;
  readonly autoCreate: boolean;
  /** Scopes of automatically created keys; empty for the default scopes. */
  readonly autoCreateScopes: readonly string[];
}

export function userKeyRules(organisation: Organisation, workspace: Workspace): UserKeyRules {
  const own = mayOverride(organisation, 'user_api_keys') ? workspace.settings : {};
  const settings: UserKeySettings = { ...organisation.settings, ...own };
  const { default_workspace_user_api_key_auto_create: inDefault } = organisation.settings;
  const autoCreate = workspace.isDefault
    ? (own.user_api_key_auto_create ?? inDefault)
    : settings.user_api_key_auto_create;
  return {
    count: settings.user_api_key_count ?? -1,
    ttl: settings.user_api_key_ttl ?? 0,
    maxTtl: settings.user_api_key_max_ttl ?? 0,
    rotationDays: settings.user_api_key_rotation_period ?? 0,
    autoCreate: autoCreate ?? false,
    autoCreateScopes: settings.user_api_key_auto_create_scopes ?? [],
  };
}

/**
 * Checks the input beyond its decorators and returns its stored form. Throws `validation_failed`.
 */
export function toStoredUserKeySettings(input: UserKeySettingsDto): Record<string, unknown> {
  const period = input.user_api_key_rotation_period;
  const scopes = input.user_api_key_auto_create_scopes;
  return {
    user_api_key_count: input.user_api_key_count,
    user_api_key_ttl: input.user_api_key_ttl,
    user_api_key_max_ttl: input.user_api_key_max_ttl,
    user_api_key_rotation_period: period === undefined || period === null ? period : rotationDays(period),
    user_api_key_auto_create: input.user_api_key_auto_create,
    user_api_key_auto_create_scopes: scopes && userKeyScopes(scopes),
  };
}

function userKeyScopes(scopes: readonly string[]): string[] {
  const allowed = scopesAllowedFor('workspace-user');
  const canonical = [...new Set(scopes.map(canonicalScope))];
  const details = canonical.flatMap((scope, index) => {
    if (allowed.has(scope)) return [];
    const message = isScope(scope) ? 'a user key cannot hold this scope' : 'is not a known scope';
    return [{ path: `settings.user_api_key_auto_create_scopes.${String(index)}`, message }];
  });
  if (details.length > 0) throw validationFailed(details);
  return canonical;
}

/** Returns `stored` with the changes applied: undefined keeps a member, null removes it. */
export function mergeSettings<T extends object>(stored: T, changes: Readonly<Record<string, unknown>>): T {
  const merged = {
    ...stored,
    ...Object.fromEntries(Object.entries(changes).filter(([, to]) => to !== undefined)),
  };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as T;
}

export const userKeySettingsResponse = (settings: UserKeySettings): UserKeySettingsResponse => ({
  user_api_key_count: settings.user_api_key_count ?? null,
  user_api_key_ttl: settings.user_api_key_ttl ?? null,
  user_api_key_max_ttl: settings.user_api_key_max_ttl ?? null,
  // The stored 0 means none, but is not a valid period in a request; an empty string can be sent
  // back.
  user_api_key_rotation_period:
    settings.user_api_key_rotation_period === 0 ? '' : (settings.user_api_key_rotation_period ?? null),
  user_api_key_auto_create: settings.user_api_key_auto_create ?? null,
  user_api_key_auto_create_scopes: settings.user_api_key_auto_create_scopes ?? null,
});
