/**
 * The group of users that a security setting restricts. No setting restricts workspace admins. A
 * service key is restricted as its creator was.
 */
export type SettingGroup = 'members' | 'managers' | 'organisationAdmins';

/** Categories of settings that an organisation may let its workspaces override. */
export const SECURITY_CATEGORIES = [
  'logs',
  'data_visibility',
  'api_keys',
  'configs',
  'prompts',
  'guardrails',
  'virtual_keys',
  'analytics',
  'workspace_management',
  'integrations',
] as const;

export type SecurityCategory = (typeof SECURITY_CATEGORIES)[number];

interface Capability {
  readonly category: SecurityCategory;
  /** The scopes that are removed when it is off. */
  readonly scopes: readonly string[];
  /** The groups that it restricts, with the default for each. */
  readonly defaults: Partial<Readonly<Record<SettingGroup, boolean>>>;
}

const actions = (resource: string, names: string): string[] =>
  names.split(' ').map((name) => `${resource}.${name}`);
const VIEW = 'read list';
const WRITE = 'create update delete';
const BOTH = { members: true, managers: true } as const;
const OPENED = { members: false, managers: true } as const;
const MANAGERS = { managers: true } as const;
const LOG_READERS = { members: true, managers: true, organisationAdmins: true } as const;

const keys = (names: string): string[] => [
  ...actions('workspace_user_api_keys', names),
  ...actions('workspace_service_api_keys', names),
];

/**
 * Every capability that a setting allows or removes. A setting's name is the group followed by the
 * capability.
 */
const CAPABILITIES = {
  ViewLogs: { category: 'logs', scopes: ['logs.view', 'logs.export'], defaults: LOG_READERS },
  ViewLogMetadata: { category: 'logs', scopes: ['logs.list'], defaults: LOG_READERS },
  /** When off, users see only the data of their own keys. It removes no scope. */
  ViewAllData: { category: 'data_visibility', scopes: [], defaults: BOTH },
  ViewApiKeys: { category: 'api_keys', scopes: keys(VIEW), defaults: BOTH },
  WriteApiKeys: { category: 'api_keys', scopes: keys(`${WRITE} rotate`), defaults: BOTH },
  ViewConfigs: { category: 'configs', scopes: actions('configs', VIEW), defaults: BOTH },
  WriteConfigs: { category: 'configs', scopes: actions('configs', WRITE), defaults: OPENED },
  ViewPrompts: { category: 'prompts', scopes: actions('prompts', VIEW), defaults: BOTH },
  WritePrompts: { category: 'prompts', scopes: actions('prompts', `${WRITE} publish`), defaults: OPENED },
  ViewGuardrails: { category: 'guardrails', scopes: actions('guardrails', VIEW), defaults: BOTH },
  WriteGuardrails: { category: 'guardrails', scopes: actions('guardrails', WRITE), defaults: OPENED },
  ViewVirtualKeys: {
    category: 'virtual_keys',
    scopes: [...actions('virtual_keys', VIEW), ...actions('providers', VIEW)],
    defaults: BOTH,
  },
  WriteVirtualKeys: {
    category: 'virtual_keys',
    scopes: [...actions('virtual_keys', `${WRITE} duplicate copy`), ...actions('providers', WRITE)],
    defaults: OPENED,
  },
  ViewAnalytics: { category: 'analytics', scopes: ['analytics.view'], defaults: BOTH },
  UpdateWs: { category: 'workspace_management', scopes: ['workspaces.update'], defaults: MANAGERS },
  WriteWsUsers: {
    category: 'workspace_management',
    scopes: actions('workspace_users', WRITE),
    defaults: MANAGERS,
  },
  WriteWsIntegrations: {
    category: 'integrations',
    scopes: actions('workspace_integrations', WRITE),
    defaults: MANAGERS,
  },
  WriteWsMcpIntegrations: {
    category: 'integrations',
    scopes: actions('workspace_mcp_integrations', WRITE),
    defaults: MANAGERS,
  },
  WriteMcpServers: { category: 'integrations', scopes: actions('mcp_servers', WRITE), defaults: MANAGERS },
} as const satisfies Record<string, Capability>;

export type CapabilityName = keyof typeof CAPABILITIES;

export interface SecuritySetting {
  /** Name of the setting, such as `membersViewLogs`. */
  readonly name: string;
  readonly settingGroup: SettingGroup;
  readonly capability: CapabilityName;
  readonly category: SecurityCategory;
  /** Value of the setting when neither the organisation nor the workspace has set it. */
  readonly fallback: boolean;
}

const ENTRIES = Object.entries(CAPABILITIES) as [CapabilityName, Capability][];

/** The 35 settings, in the order of the table above. */
export const SECURITY_SETTINGS: readonly SecuritySetting[] = ENTRIES.flatMap(
  ([capability, { category, defaults }]) =>
    (Object.entries(defaults) as [SettingGroup, boolean][]).map(([settingGroup, fallback]) => ({
      name: `${settingGroup}${capability}`,
      settingGroup,
      capability,
      category,
      fallback,
    })),
);

/** The value of every setting by name. */
export type SecuritySettings = Readonly<Record<string, boolean>>;

const BY_SCOPE: ReadonlyMap<string, CapabilityName> = new Map(
  ENTRIES.flatMap(([name, { scopes }]) => scopes.map((scope) => [scope, name] as const)),
);

/** Returns the capabilities that a route needs for its scopes; all of them must be allowed. */
export const capabilitiesOf = (scopes: readonly string[]): CapabilityName[] => [
  ...new Set(scopes.flatMap((scope) => BY_SCOPE.get(scope) ?? [])),
];

/** The stored settings of an organisation and of one of its workspaces. */
export interface StoredSecurity {
  readonly organisation: Readonly<Record<string, boolean>>;
  readonly workspace: Readonly<Record<string, boolean>>;
  /** Categories in which the workspace overrides the organisation. */
  readonly overrides: Readonly<Record<string, boolean>>;
}

/**
 * Returns the settings in force: the workspace's if it may override, else the organisation's, else
 * the default.
 */
export function securityInForce({ organisation, workspace, overrides }: StoredSecurity): SecuritySettings {
  return Object.fromEntries(
    SECURITY_SETTINGS.map(({ name, category, fallback }) => {
      const overridden = overrides[category] === true ? workspace[name] : undefined;
      return [name, overridden ?? organisation[name] ?? fallback];
    }),
  );
}

/** Returns the capabilities that the settings remove from a group; none for null. */
export function removedCapabilities(
  settingGroup: SettingGroup | null,
  settings: SecuritySettings,
): ReadonlySet<CapabilityName> {
  return new Set(
    SECURITY_SETTINGS.filter(
      (setting) => setting.settingGroup === settingGroup && settings[setting.name] === false,
    ).map(({ capability }) => capability),
  );
}

/**
 * Returns the scopes that settings add for members. Members always have only their own keys, so API
 * key settings add none.
 */
export const openedForMembers = (settings: SecuritySettings): readonly string[] =>
  SECURITY_SETTINGS.filter(
    ({ settingGroup: group, name, capability, category }) =>
      group === 'members' &&
      category !== 'api_keys' &&
      capability.startsWith('Write') &&
      settings[name] === true,
  ).flatMap(({ capability }) => CAPABILITIES[capability].scopes);

/** Returns the scopes that removed capabilities take away. */
export const scopesOf = (capabilities: Iterable<CapabilityName>): string[] =>
  [...capabilities].flatMap((name) => [...CAPABILITIES[name].scopes]);

/** Settings that restrict nothing, for callers that no setting concerns. */
export const ALL_OPEN: SecuritySettings = Object.fromEntries(
  SECURITY_SETTINGS.map(({ name }) => [name, true]),
);

export const DEFAULT_SECURITY: SecuritySettings = securityInForce({
  organisation: {},
  workspace: {},
  overrides: {},
});

/** Categories that workspaces may override, with the default of each. */
export const OVERRIDE_DEFAULTS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(SECURITY_CATEGORIES.map((category) => [category, false])),
  user_api_keys: true,
  export_settings: false,
};
