import type { Json } from '../api-client';
import { comparable, plain, sorted, type Members } from '../members';
import {
  members,
  NOT_MADE,
  post,
  remove,
  type Item,
  type Kind,
  type ExistingItem,
  type ReconcileContext,
} from '../kind';
import { canonical } from '../values';
import { collectionOf, defaultCollectionOf } from './collection.kinds';
import { change } from './of-workspaces';

/** Value of a label in a file if the label points at the published version. */
const PUBLISHED = 'published';

/** Describes what differs between prompts and partials. */
interface Family {
  readonly path: string;
  readonly members: Members;
  /** Members of a version in a write. */
  readonly content: readonly string[];
  /** Members of a version in a response. */
  contentOf(row: Json): Record<string, unknown>;
  /** Completes the content for a new version, with null for missing members. */
  toVersion(item: Json): Json;
  /** Member of a response that contains the version id. */
  readonly versionId: string;
}

const PROMPT_CONTENT = [
  'string',
  'parameters',
  'model',
  'virtual_key',
  'functions',
  'tools',
  'tool_choice',
  'template_metadata',
  'version_description',
  'is_raw_template',
] as const;

const IS_CONTENT = { isContent: true } as const;

const PROMPT_CONTENT_MEMBERS: Members = {
  ...plain('string', 'model', 'version_description'),
  parameters: { ...IS_CONTENT, fallback: {} },
  virtual_key: { normal: (value) => String(value).replace(/^@/, '') },
  functions: IS_CONTENT,
  tools: IS_CONTENT,
  tool_choice: IS_CONTENT,
  template_metadata: IS_CONTENT,
  is_raw_template: { normal: (value) => (value === true ? true : null) },
};

const COMMON: Members = {
  ...plain('workspace', 'slug', 'name'),
  collection: { api: 'collection_id' },
  shared: { normal: sorted },
};

const isFields = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const PROMPTS: Family = {
  path: '/v1/prompts',
  members: {
    ...COMMON,
    ...PROMPT_CONTENT_MEMBERS,
    labels: {
      ...IS_CONTENT,
      normal: (value) =>
        Object.fromEntries(
          entriesOf(value).map(([label, content]) => [
            label,
            isFields(content) ? comparable(PROMPT_CONTENT_MEMBERS, content) : content,
          ]),
        ),
    },
  },
  content: PROMPT_CONTENT,
  contentOf: (row) => ({
    ...members(row, ...PROMPT_CONTENT),
    version_description: row['prompt_version_description'],
    is_raw_template: row['is_raw_template'] === 1 ? true : null,
  }),
  toVersion: (item) => ({
    ...Object.fromEntries(PROMPT_CONTENT.map((name) => [name, item[name] ?? null])),
    string: item['string'] ?? '',
    parameters: item['parameters'] ?? {},
    virtual_key: item['virtual_key'],
    is_raw_template: item['is_raw_template'] === true ? 1 : 0,
  }),
  versionId: 'prompt_version_id',
};

const PARTIAL_CONTENT = ['string', 'version_description'] as const;

const PARTIALS: Family = {
  path: '/v1/prompts/partials',
  members: { ...COMMON, ...plain(...PARTIAL_CONTENT) },
  content: PARTIAL_CONTENT,
  contentOf: (row) => members(row, ...PARTIAL_CONTENT),
  toVersion: (item) => ({
    string: item['string'] ?? '',
    version_description: item['version_description'] ?? null,
  }),
  versionId: 'prompt_partial_version_id',
};

/**
 * Prompts and partials with their published versions, and the labelled versions of prompts. Files
 * contain no other versions, because those are history or drafts. A version cannot be changed, so
 * changed content becomes a new version.
 */
const kindOf = (name: 'prompts' | 'partials', family: Family): Kind => ({
  name,
  members: family.members,
  identity: ['workspace', 'slug'],
  removable: true,
  async removeUsed(context, path) {
    const { access_level: access } = await context.api.call('GET', path);
    if (access !== 'workspace') await remove(context, suffixed(path, 'share'));
    return remove(context, path);
  },
  existing: (context) => existingOf(context, family),
  create: (context, item) => create(context, family, item),
  update: (context, path, item, before) => update(context, family, path, item, before),
});

export const partials: Kind = {
  ...kindOf('partials', PARTIALS),
  existing: async (context) => includedFirst(await existingOf(context, PARTIALS)),
};

export const prompts: Kind = kindOf('prompts', PROMPTS);

async function existingOf(context: ReconcileContext, family: Family): Promise<ExistingItem[]> {
  const existing: ExistingItem[] = [];
  for (const [workspace, id] of context.workspaces.all) {
    const query = { workspace_id: id, show_prompt_share: 'true' };
    for (const listed of await context.api.all(family.path, query)) {
      const slug = String(listed['slug']);
      const path = `${family.path}/${slug}?workspace_id=${id}`;
      const row = await context.api.call('GET', path);
      existing.push({
        item: {
          workspace,
          ...members(row, 'slug', 'name'),
          collection: await collectionOf(context, id, row['collection_id']),
          ...family.contentOf(row),
          ...(family === PROMPTS ? { labels: await labelsOf(context, path, row) } : {}),
          shared: sharedOf(context, listed),
        },
        path,
      });
    }
  }
  return existing;
}

const sharedOf = ({ workspaces }: ReconcileContext, row: Json): unknown => {
  if (row['access_level'] === 'organisation') return 'organisation';
  if (row['access_level'] !== 'workspaces') return null;
  return ((row['shared_workspace_ids'] as string[] | undefined) ?? []).map((id) => workspaces.slugOf(id));
};

const named = (row: Json): string[] =>
  (row['prompt_version_labels'] as { name: string }[]).map((label) => label.name);

/** Returns the content of each label by name. */
async function labelsOf(context: ReconcileContext, path: string, published: Json): Promise<Json> {
  const labels: Record<string, unknown> = {};
  for (const name of named(published)) labels[name] = PUBLISHED;
  const [plain, query = ''] = split(path);
  const versions = await context.api.all(`${plain}/versions`, Object.fromEntries(new URLSearchParams(query)));
  for (const { id, label_id: label } of versions) {
    if (label === null || id === published[PROMPTS.versionId]) continue;
    const row = await context.api.call('GET', `${plain}/versions/${String(id)}?${query}`);
    for (const name of named(row)) labels[name] = PROMPTS.contentOf(row);
  }
  return labels;
}

async function create(context: ReconcileContext, family: Family, item: Item): Promise<Json> {
  const workspaceId = context.workspaces.idOf(item['workspace']);
  const created = await post(context, family.path, {
    ...members(item, 'name', 'slug'),
    ...family.toVersion(item),
    collection_id: item['collection'] ?? (await defaultCollectionOf(context, workspaceId)),
    workspace_id: workspaceId,
  });
  const path = `${family.path}/${String(item['slug'])}?workspace_id=${workspaceId}`;
  const tools = { context, family, path, publishedId: String(created['version_id']) };
  for (const [label, content] of entriesOf(item['labels'])) await labelContent(tools, label, content);
  await share(context, path, item['shared'], undefined);
  return {};
}

async function update(
  context: ReconcileContext,
  family: Family,
  path: string,
  item: Item,
  before: Item,
): Promise<Json> {
  const workspaceId = context.workspaces.idOf(item['workspace']);
  const isNew = family.content.some((name) => canonical(item[name]) !== canonical(before[name]));
  const response = await change(context, path, {
    name: item['name'],
    collection_id: item['collection'] ?? (await defaultCollectionOf(context, workspaceId)),
    ...(isNew ? family.toVersion(item) : {}),
  });
  if (isNew) await publish(context, family, path, String(response[family.versionId]));
  const published = await context.api.call('GET', path);
  const tools = { context, family, path, publishedId: String(published[family.versionId]) };
  const wanted = new Map(entriesOf(item['labels']));
  const known = new Map(entriesOf(before['labels']));
  for (const label of known.keys()) if (!wanted.has(label)) await takeLabel(tools, label, wanted);
  for (const [label, content] of wanted) {
    const moves = content === PUBLISHED && isNew;
    if (moves || canonical(content) !== canonical(known.get(label)))
      await labelContent(tools, label, content);
  }
  await share(context, path, item['shared'], before['shared']);
  return {};
}

interface LabelTools {
  readonly context: ReconcileContext;
  readonly family: Family;
  readonly path: string;
  readonly publishedId: string;
}

const entriesOf = (map: unknown): [string, unknown][] => Object.entries((map as Json | undefined) ?? {});

async function publish(
  context: ReconcileContext,
  family: Family,
  path: string,
  versionId: string,
): Promise<void> {
  const [plain, query = ''] = split(path);
  const versions = await context.api.all(`${plain}/versions`, Object.fromEntries(new URLSearchParams(query)));
  const row = versions.find(
    (version) => version['id'] === versionId || version[family.versionId] === versionId,
  );
  await change(context, suffixed(path, 'makeDefault'), {
    version: row?.['prompt_version'] ?? row?.['version'] ?? NOT_MADE,
  });
}

/** Puts a label on the published version, or on a new version with the given content. */
async function labelContent(tools: LabelTools, label: string, content: unknown): Promise<void> {
  const { context, family, path, publishedId } = tools;
  const versionId =
    content === PUBLISHED
      ? publishedId
      : String((await change(context, path, family.toVersion(content as Json)))[family.versionId]);
  await setLabel(tools, versionId, await labelId(context, path, label));
}

/**
 * Creates a new version for the label. A label carries other labels of its version along, so labels
 * that must stay are set again.
 */
async function takeLabel(
  tools: LabelTools,
  label: string,
  wanted: ReadonlyMap<string, unknown>,
): Promise<void> {
  const { context, path } = tools;
  const row = await context.api.call('GET', `${path}&version=${encodeURIComponent(label)}`);
  const versionId = String(row[PROMPTS.versionId]);
  await setLabel(tools, versionId, null);
  for (const name of named(row)) {
    if (wanted.has(name)) await setLabel(tools, versionId, await labelId(context, path, name));
  }
}

const setLabel = ({ context, path }: LabelTools, versionId: string, label: string | null): Promise<Json> =>
  change(context, suffixed(path, `versions/${versionId}`), { label_id: label });

async function labelId(context: ReconcileContext, path: string, name: string): Promise<string> {
  const [, query = ''] = split(path);
  const [label] = await context.api.all('/v1/labels', {
    ...Object.fromEntries(new URLSearchParams(query)),
    name,
  });
  if (label) return String(label['id']);
  if (context.planned.has(name)) return NOT_MADE;
  throw new Error(`There is no label ${name}; add it to labels.`);
}

async function share(
  context: ReconcileContext,
  path: string,
  wanted: unknown,
  before: unknown,
): Promise<void> {
  if (canonical(wanted) === canonical(before)) return;
  const at = suffixed(path, 'share');
  if (wanted === undefined) {
    await remove(context, at);
  } else if (wanted === 'organisation') {
    await change(context, at, { access: 'organisation' });
  } else {
    const ids = (wanted as string[]).map((slug) => context.workspaces.idOf(slug));
    await change(context, at, { access: 'workspaces', workspace_ids: ids });
  }
}

const split = (path: string): string[] => path.split('?');

const suffixed = (path: string, suffix: string): string => {
  const [plain = path, query = ''] = split(path);
  return `${plain}/${suffix}?${query}`;
};

/** Orders partials so that each comes after those that it includes. */
function includedFirst(existing: readonly ExistingItem[]): ExistingItem[] {
  const bySlug = new Map(existing.map((one) => [String(one.item['slug']), one]));
  const ordered = new Set<ExistingItem>();
  const add = (one: ExistingItem, above: ReadonlySet<ExistingItem>): void => {
    if (ordered.has(one) || above.has(one)) return;
    for (const [, slug = ''] of String(one.item['string']).matchAll(/\{\{>\s*([\w.-]+)/g)) {
      const included = bySlug.get(slug);
      if (included) add(included, new Set([...above, one]));
    }
    ordered.add(one);
  };
  for (const one of existing) add(one, new Set());
  return [...ordered];
}
