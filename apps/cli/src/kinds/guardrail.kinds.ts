import { joinSecrets, splitSecrets } from '@gw/guardrails';
import type { SavedGuardrailCheck } from '@gw/contracts';
import type { Json } from '../api-client';
import { members, post, present, put, type Kind, type Standing } from '../kind';
import { secretName } from '../values';

type Checks = readonly SavedGuardrailCheck[];

/** Of workspaces, and of the organisation (without `workspace`). */
export const guardrails: Kind = {
  name: 'guardrails',
  identity: ['slug'],
  fixed: ['workspace', 'target'],
  removable: true,
  async standing({ api, workspaces }) {
    const standing: Standing[] = [];
    for (const { slug: listed, workspace_id: workspace } of await api.all('/v1/guardrails')) {
      const slug = String(listed);
      const path = `/v1/guardrails/${slug}`;
      const row = await api.call('GET', path);
      standing.push({
        item: {
          ...members(row, 'slug', 'name', 'target', 'actions'),
          workspace: typeof workspace === 'string' ? workspaces.slugOf(workspace) : null,
          checks: named(row['checks'] as Checks, slug),
        },
        path,
      });
    }
    return standing;
  },
  create: (world, item) =>
    post(world, '/v1/guardrails', {
      ...present(item, 'slug', 'name', 'target', 'checks', 'actions'),
      ...(item['workspace'] === undefined ? {} : { workspace_id: world.workspaces.idOf(item['workspace']) }),
    }),
  async update(world, path, item) {
    const { checks: shown } = await world.api.call<{ checks: Checks }>('GET', path);
    return put(world, path, {
      name: item['name'],
      checks: masked(item['checks'] as Checks, shown),
      actions: item['actions'] ?? {},
    });
  },
};

/** The checks with the names of variables in the place of secrets. */
function named(checks: Checks, slug: string): Checks {
  const { checks: open, secrets } = splitSecrets(checks);
  const names = Object.entries(secrets).map(([index, parameters]) => {
    const owner = ['guardrail', slug, String(Number(index) + 1)];
    return [index, namesOf(parameters, owner)] as const;
  });
  return joinSecrets(open, Object.fromEntries(names));
}

const isFields = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const namesOf = (secrets: Json, owner: readonly string[]): Json =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [
      name,
      isFields(value) ? namesOf(value, [...owner, name]) : secretName(...owner, name),
    ]),
  );

/** A secret that is not at hand goes back as it was shown, which keeps it. */
function masked(checks: Checks, shown: Checks): Checks {
  const masks = splitSecrets(shown).secrets;
  return checks.map((check, index) => {
    const mask = shown[index]?.id === check.id ? masks[index] : undefined;
    return mask ? { ...check, parameters: withMasks(check.parameters ?? {}, mask) } : check;
  });
}

const withMasks = (given: Json, mask: Json): Json => ({
  ...mask,
  ...Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const before = mask[name];
      return [name, isFields(value) && isFields(before) ? withMasks(value, before) : value];
    }),
  ),
});

const LISTS = ['input_guardrails', 'output_guardrails'] as const;
const DEFAULTS = '/v1/admin/organisation/defaults';

/** Of the organisation. */
export const defaultGuardrails: Kind = {
  name: 'default_guardrails',
  identity: [],
  removable: false,
  async standing({ api }) {
    const row = await api.call<Record<string, { slug: string }[]>>('GET', DEFAULTS);
    const slugs = LISTS.map((list) => [list, (row[list] ?? []).map(({ slug }) => slug)]);
    return [{ item: Object.fromEntries(slugs) as Json, path: DEFAULTS }];
  },
  update: (world, path, item) =>
    put(world, path, Object.fromEntries(LISTS.map((list) => [list, item[list] ?? []]))),
};

/** Of workspaces, apart from them, since guardrails need them first. */
export const workspaceGuardrails: Kind = {
  name: 'workspace_guardrails',
  identity: ['workspace'],
  removable: false,
  async standing(world) {
    const rows = await world.api.all('/v1/workspaces');
    return rows.map((row) => ({
      item: {
        workspace: world.workspaces.slugOf(String(row['id'])),
        ...members(row['defaults'] as Json, ...LISTS),
      },
      path: `/v1/workspaces/${String(row['id'])}`,
    }));
  },
  update: (world, path, item) =>
    put(world, path, { defaults: Object.fromEntries(LISTS.map((list) => [list, item[list] ?? null])) }),
};
