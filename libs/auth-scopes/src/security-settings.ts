/** Who a security setting binds. Admins of a workspace are bound by none; a service key is bound as its maker was. */
export type Standing = 'members' | 'managers' | 'organisationAdmins';

/** What an organisation may let its workspaces decide for themselves, beyond its own word. */
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
  /** The scopes that it closes when it is off. */
  readonly scopes: readonly string[];
  /** Whom it binds, with the default for each. */
  readonly defaults: Partial<Readonly<Record<Standing, boolean>>>;
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

/** Every capability that a setting opens or closes. The name of a setting is the standing before the name of the capability. */
const CAPABILITIES = {
  ViewLogs: { category: 'logs', scopes: ['logs.view', 'logs.export'], defaults: LOG_READERS },
  ViewLogMetadata: { category: 'logs', scopes: ['logs.list'], defaults: LOG_READERS },
  /** Off: only the data of one's own keys. It closes no route. */
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
  /** `membersViewLogs` */
  readonly name: string;
  readonly standing: Standing;
  readonly capability: CapabilityName;
  readonly category: SecurityCategory;
  readonly fallback: boolean;
}

const ENTRIES = Object.entries(CAPABILITIES) as [CapabilityName, Capability][];

/** The 35 settings, in the order of the table above. */
export const SECURITY_SETTINGS: readonly SecuritySetting[] = ENTRIES.flatMap(
  ([capability, { category, defaults }]) =>
    (Object.entries(defaults) as [Standing, boolean][]).map(([standing, fallback]) => ({
      name: `${standing}${capability}`,
      standing,
      capability,
      category,
      fallback,
    })),
);

/** Every setting by name. */
export type SecuritySettings = Readonly<Record<string, boolean>>;

const BY_SCOPE: ReadonlyMap<string, CapabilityName> = new Map(
  ENTRIES.flatMap(([name, { scopes }]) => scopes.map((scope) => [scope, name] as const)),
);

/** The capabilities that a route asks for by any of its scopes: all of them must be open. */
export const capabilitiesOf = (scopes: readonly string[]): CapabilityName[] => [
  ...new Set(scopes.flatMap((scope) => BY_SCOPE.get(scope) ?? [])),
];

/** What is stored of an organisation and of one of its workspaces. */
export interface StoredSecurity {
  readonly organisation: Readonly<Record<string, boolean>>;
  readonly workspace: Readonly<Record<string, boolean>>;
  /** Categories in which the workspace's word counts. */
  readonly overrides: Readonly<Record<string, boolean>>;
}

/** The settings in force: the workspace's where it may override, else the organisation's, else the default. */
export function securityInForce({ organisation, workspace, overrides }: StoredSecurity): SecuritySettings {
  return Object.fromEntries(
    SECURITY_SETTINGS.map(({ name, category, fallback }) => {
      const own = overrides[category] === true ? workspace[name] : undefined;
      return [name, own ?? organisation[name] ?? fallback];
    }),
  );
}

/** The capabilities that the settings close for a standing; none for null. */
export function closedFor(
  standing: Standing | null,
  settings: SecuritySettings,
): ReadonlySet<CapabilityName> {
  return new Set(
    SECURITY_SETTINGS.filter(
      (setting) => setting.standing === standing && settings[setting.name] === false,
    ).map(({ capability }) => capability),
  );
}

/** What a setting of members opens beyond what they have anyway. Of keys they have their own alone, whatever the setting. */
export const openedForMembers = (settings: SecuritySettings): readonly string[] =>
  SECURITY_SETTINGS.filter(
    ({ standing, name, capability, category }) =>
      standing === 'members' &&
      category !== 'api_keys' &&
      capability.startsWith('Write') &&
      settings[name] === true,
  ).flatMap(({ capability }) => CAPABILITIES[capability].scopes);

/** The scopes that closed capabilities take away. */
export const scopesOf = (capabilities: Iterable<CapabilityName>): string[] =>
  [...capabilities].flatMap((name) => [...CAPABILITIES[name].scopes]);

/** Everything open: for those whose routes no setting concerns. */
export const ALL_OPEN: SecuritySettings = Object.fromEntries(
  SECURITY_SETTINGS.map(({ name }) => [name, true]),
);

export const DEFAULT_SECURITY: SecuritySettings = securityInForce({
  organisation: {},
  workspace: {},
  overrides: {},
});

/** Categories that workspaces may set for themselves, with the default of each. */
export const OVERRIDE_DEFAULTS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(SECURITY_CATEGORIES.map((category) => [category, false])),
  user_api_keys: true,
  export_settings: false,
};
