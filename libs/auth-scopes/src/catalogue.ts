/** The kinds of credential that hold scopes. `jwt` is a token signed by the customer. */
export type KeyType = 'organisation-service' | 'workspace-service' | 'workspace-user' | 'jwt';

interface Row {
  readonly actions: string;
  /**
   * Credential kinds by letter: O organisation-service, S workspace-service, U workspace-user, J
   * jwt.
   */
  readonly holders: string;
}

const CRUDL = 'create read update delete list';
const row = (actions: string, holders: string): Row => ({ actions, holders });

/**
 * Every resource with its actions and the credential kinds that may hold them.
 * A resource has several rows when different kinds of credentials may hold its actions. A scope is
 * `<resource>.<action>`. Each action is separate: `list` does not include `read`.
 */
const CATALOGUE: readonly (readonly [resource: string, Row])[] = [
  ['organisation_users', row(CRUDL, 'O')],
  ['organisation_service_api_keys', row(`${CRUDL} rotate`, 'O')],
  ['organisation_settings', row('read update', 'O')],
  ['organisation_guardrails', row(CRUDL, 'O')],
  ['organisation_exclusions', row('list update', 'O')],
  ['audit_logs', row('list', 'O')],
  ['plugins', row('create update list', 'O')],
  ['deployments', row(CRUDL, 'O')],
  ['secret_references', row(CRUDL, 'O')],
  ['workspaces', row('create delete', 'O')],
  ['workspaces', row('read update list', 'OSUJ')],
  ['workspace_service_api_keys', row(`${CRUDL} rotate`, 'OS')],
  ['workspace_user_api_keys', row(`${CRUDL} rotate`, 'OS')],
  ['workspace_users', row(CRUDL, 'OSUJ')],
  ['prompts', row(`${CRUDL} publish`, 'OSUJ')],
  ['prompts', row('render', 'SUJ')],
  ['completions', row('write', 'SUJ')],
  ['configs', row(CRUDL, 'OSUJ')],
  ['guardrails', row(CRUDL, 'OSUJ')],
  ['guardrails', row('invoke', 'SUJ')],
  ['virtual_keys', row(`${CRUDL} duplicate copy`, 'OSUJ')],
  ['providers', row(CRUDL, 'OSUJ')],
  ['policies', row(CRUDL, 'OSU')],
  ['organisation_integrations', row('create read update delete', 'O')],
  ['organisation_integrations', row('list', 'OSU')],
  ['workspace_integrations', row(CRUDL, 'OSU')],
  ['organisation_mcp_integrations', row('create read update delete', 'O')],
  ['organisation_mcp_integrations', row('list', 'OSU')],
  ['workspace_mcp_integrations', row(CRUDL, 'OSU')],
  ['mcp_servers', row(CRUDL, 'OSU')],
  ['mcp', row('invoke', 'SUJ')],
  ['organisation_agent_integrations', row('create read update delete', 'O')],
  ['organisation_agent_integrations', row('list', 'OSU')],
  ['workspace_agent_integrations', row(CRUDL, 'OSU')],
  ['agent_servers', row(CRUDL, 'OSU')],
  ['agent_server_skills', row('read update list', 'OSU')],
  ['agent_integration_skills', row('read update list', 'OSU')],
  ['agent_server_user_access', row('read update list', 'OSU')],
  ['agents', row('invoke', 'SUJ')],
  ['analytics', row('view', 'OSUJ')],
  ['logs', row('list view export', 'OSUJ')],
  ['logs', row('write', 'SUJ')],
];

/**
 * Names accepted as input from older clients, with the scope that each means. They are never shown.
 */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'logs.read': 'logs.view',
    'completions.read': 'completions.write',
    'feedbacks.read': 'logs.view',
    'feedbacks.write': 'logs.write',
    'organisations.read': 'organisation_settings.read',
    'generations.create': 'completions.write',
  }),
);

const LETTER: Readonly<Record<string, KeyType>> = {
  O: 'organisation-service',
  S: 'workspace-service',
  U: 'workspace-user',
  J: 'jwt',
};

/** Every kind of credential that holds scopes. */
export const KEY_TYPES: readonly KeyType[] = Object.values(LETTER);

function build(): ReadonlyMap<string, ReadonlySet<KeyType>> {
  const holders = new Map<string, ReadonlySet<KeyType>>();
  for (const [resource, { actions, holders: letters }] of CATALOGUE) {
    const types = new Set([...letters].map((letter) => LETTER[letter] as KeyType));
    for (const action of actions.split(' ')) holders.set(`${resource}.${action}`, types);
  }
  return holders;
}

const HOLDERS = build();

/** Every scope, in the order of the catalogue. */
export const SCOPES: readonly string[] = [...HOLDERS.keys()];

const ALLOWED = new Map<KeyType, ReadonlySet<string>>(
  Object.values(LETTER).map((type) => [
    type,
    new Set(SCOPES.filter((scope) => HOLDERS.get(scope)?.has(type) === true)),
  ]),
);

export const isScope = (scope: string): boolean => HOLDERS.has(scope);

/** Returns the scopes that a key of this type may hold. */
export const scopesAllowedFor = (type: KeyType): ReadonlySet<string> => ALLOWED.get(type) ?? new Set();

/**
 * Returns the canonical name of a scope: `deployments:create` becomes `deployments.create`, an
 * alias its scope. An unknown text is returned unchanged, so that the caller can refuse it.
 */
export function canonicalScope(text: string): string {
  const dotted = text.replace(':', '.');
  return ALIASES.get(dotted) ?? dotted;
}
