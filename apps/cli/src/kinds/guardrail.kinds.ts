import { joinSecrets, splitSecrets } from '@gw/guardrails';
import type { SavedGuardrailCheck } from '@gw/contracts';
import type { Json } from '../api-client';
import { plain, type Member, type Members } from '../members';
import { members, post, present, put, type Kind, type ExistingItem, type ReconcileContext } from '../kind';
import { canonical, isFields, isSecretName, mapFields, MASK, secretName, settingSecrets } from '../values';

const PHASES: Readonly<Record<string, string>> = { input: 'beforeToolCall', output: 'afterToolCall' };

/** Phases under their primary names, in chronological order. */
const phases = (value: unknown): unknown =>
  Array.isArray(value)
    ? [...new Set(value.map((name) => PHASES[String(name)] ?? String(name)))].sort().reverse()
    : value;

const lowerCase = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((id) => String(id).toLowerCase()) : value;

const mappingsMember = (parts: string): Member => ({
  isMap: true,
  members: {
    run_on: { fallback: ['beforeToolCall', 'afterToolCall'], normal: phases },
    [parts]: { normal: lowerCase },
  },
});

const GUARDRAIL: Members = {
  ...plain('workspace', 'slug', 'name'),
  target: { fallback: 'llm' },
  checks: { isContent: true, secrets: (value) => checkSecrets(value) },
  actions: {
    fallback: {},
    isContent: true,
    normal: (value) => ({ deny: false, async: false, sequential: false, ...(value as Json) }),
  },
  mcp_servers: mappingsMember('capability_ids'),
  agent_servers: mappingsMember('skill_ids'),
};

/**
 * Members that map ids of servers and agents to the calls that a guardrail judges, each with its
 * API route.
 */
const MAPPINGS = [
  { name: 'mcp_servers', route: 'mcp-servers', server: 'mcp_server_id', parts: 'capability_ids' },
  { name: 'agent_servers', route: 'agent-servers', server: 'agent_server_id', parts: 'skill_ids' },
] as const;

type Checks = readonly SavedGuardrailCheck[];

/** Guardrails of workspaces, and of the organisation (without `workspace`). */
export const guardrails: Kind = {
  name: 'guardrails',
  members: GUARDRAIL,
  identity: ['slug'],
  fixed: ['workspace', 'target'],
  removable: true,
  async existing({ api, workspaces }) {
    const existing: ExistingItem[] = [];
    for (const { slug: listed, workspace_id: workspace } of await api.all('/v1/guardrails')) {
      const slug = String(listed);
      const path = `/v1/guardrails/${slug}`;
      const row = await api.call('GET', path);
      existing.push({
        item: {
          ...members(row, 'slug', 'name', 'target', 'actions'),
          workspace: typeof workspace === 'string' ? workspaces.slugOf(workspace) : null,
          checks: withSecretNames(row['checks'] as Checks, slug),
          ...(row['target'] === 'mcp_tools' ? await mappings(api, path) : {}),
        },
        path,
      });
    }
    return existing;
  },
  async create(context, item) {
    const created = await post(context, '/v1/guardrails', {
      ...present(item, 'slug', 'name', 'target', 'checks', 'actions'),
      ...(item['workspace'] === undefined
        ? {}
        : { workspace_id: context.workspaces.idOf(item['workspace']) }),
    });
    await putMappings(context, `/v1/guardrails/${String(created['slug'])}`, item, {});
    return {};
  },
  async update(context, path, item, before, wanted) {
    await putMappings(context, path, item, before);
    const content = ['name', 'checks', 'actions'];
    if (content.every((name) => canonical(item[name]) === canonical(before[name]))) return {};
    const { checks: shown } = await context.api.call<{ checks: Checks }>('GET', path);
    return put(context, path, {
      name: item['name'],
      checks: masked(checksOf(item), shown, checksOf(wanted)),
      actions: item['actions'] ?? {},
    });
  },
};

const checksOf = ({ checks = [] }: Json): Checks => checks as Checks;

async function mappings(api: ReconcileContext['api'], path: string): Promise<Json> {
  const maps: Record<string, Json> = {};
  for (const { name, route, server, parts } of MAPPINGS) {
    const rows = await api.call<Json[]>('GET', `${path}/${route}`);
    maps[name] = Object.fromEntries(rows.map((row) => [String(row[server]), members(row, 'run_on', parts)]));
  }
  return maps;
}

/** Writes the mappings of the item that differ from those `before`. */
async function putMappings(context: ReconcileContext, path: string, item: Json, before: Json): Promise<void> {
  for (const { name, route } of MAPPINGS) {
    if (canonical(item[name]) === canonical(before[name])) continue;
    await put(context, `${path}/${route}`, { [name]: item[name] ?? {} });
  }
}

/** Reads the secret parameters of checks, as each check declares them. */
function checkSecrets(value: unknown): unknown {
  // The control plane reports checks of another form.
  if (!Array.isArray(value) || !value.every(isFields)) return value;
  const checks = value as unknown as Checks;
  const secrets = mapFields(splitSecrets(checks).secrets, settingSecrets);
  return joinSecrets(checks, secrets as Record<string, Json>);
}

/** Replaces secrets in checks by the names of their variables. */
function withSecretNames(checks: Checks, slug: string): Checks {
  const { checks: open, secrets } = splitSecrets(checks);
  const names = Object.entries(secrets).map(([index, parameters]) => {
    const owner = ['guardrail', slug, String(Number(index) + 1)];
    return [index, namesOf(parameters, owner)] as const;
  });
  return joinSecrets(open, Object.fromEntries(names));
}

const namesOf = (secrets: Json, owner: readonly string[]): Json =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [
      name,
      isFields(value) ? namesOf(value, [...owner, name]) : secretName(...owner, name),
    ]),
  );

/**
 * Replaces each secret whose variable is not set by its mask, so that the control plane keeps the
 * saved secret. A secret that the file omits is removed.
 */
function masked(checks: Checks, shown: Checks, wanted: Checks): Checks {
  const masks = splitSecrets(shown).secrets;
  return checks.map((check, index) => {
    const mask = shown[index]?.id === check.id ? masks[index] : undefined;
    const { parameters = {} } = check;
    return mask ? { ...check, parameters: withMasks(parameters, mask, wanted[index]?.parameters) } : check;
  });
}

function withMasks(parameters: Json, mask: Json, wanted: unknown): Json {
  const wantedMembers = isFields(wanted) ? wanted : {};
  const kept = Object.entries(mask).filter(
    ([name]) => isSecretName(wantedMembers[name]) && isUnset(parameters[name]),
  );
  return {
    ...Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => {
        const before = mask[name];
        const isPart = isFields(value) && isFields(before);
        return [name, isPart ? withMasks(value, before, wantedMembers[name]) : value];
      }),
    ),
    ...Object.fromEntries(kept),
  };
}

/**
 * Returns whether the variable of a secret is not set: the value is absent, or `MASK` in a map of
 * headers.
 */
const isUnset = (value: unknown): boolean => value === undefined || value === MASK;

const LISTS = ['input_guardrails', 'output_guardrails'] as const;
const DEFAULTS = '/v1/admin/organisation/defaults';

/** Default guardrails of the organisation. */
export const defaultGuardrails: Kind = {
  name: 'default_guardrails',
  members: plain(...LISTS),
  identity: [],
  removable: false,
  async existing({ api }) {
    const row = await api.call<Record<string, { slug: string }[]>>('GET', DEFAULTS);
    const slugs = LISTS.map((list) => [list, (row[list] ?? []).map(({ slug }) => slug)]);
    return [{ item: Object.fromEntries(slugs) as Json, path: DEFAULTS }];
  },
  update: (context, path, item) =>
    put(context, path, Object.fromEntries(LISTS.map((list) => [list, item[list] ?? []]))),
};

/**
 * Default guardrails of workspaces, separate from the workspaces because the guardrails must exist
 * first.
 */
export const workspaceGuardrails: Kind = {
  name: 'workspace_guardrails',
  members: plain('workspace', ...LISTS),
  identity: ['workspace'],
  removable: false,
  async existing(context) {
    const rows = await context.api.all('/v1/workspaces');
    return rows.map((row) => ({
      item: {
        workspace: context.workspaces.slugOf(String(row['id'])),
        ...members(row['defaults'] as Json, ...LISTS),
      },
      path: `/v1/workspaces/${String(row['id'])}`,
    }));
  },
  update: (context, path, item) =>
    put(context, path, { defaults: Object.fromEntries(LISTS.map((list) => [list, item[list] ?? null])) }),
};
