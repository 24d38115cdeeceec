import type { ConfigEntity, GuardrailEntity, ProviderEntity } from '@gw/entities';
import { QueryBooleanField, ResponseField } from '@gw/web';
import type { EntityManager } from 'typeorm';
import type { TenantWhere } from '../auth/tenancy';

/**
 * Maximum number of configs, prompts and guardrails of a workspace that are read to count uses,
 * newest first.
 */
const READ_MAX = 1_000;
/** Maximum number of API keys that are counted for a config. */
const KEYS_MAX = 1_000;

const OTHERS = 'among the newest 1,000 of those that the caller can reach';

/** How many other resources name a resource. */
export class UsedByResponse {
  @ResponseField.integer({ description: 'Number of API keys; at most 1,000 are counted.', example: 3 })
  readonly api_keys!: number;
  @ResponseField.integer({ description: 'Number of workspaces whose defaults name it.', example: 1 })
  readonly workspaces!: number;
  @ResponseField.integer({ description: `Configs, ${OTHERS}.`, example: 2 }) readonly configs!: number;
  @ResponseField.integer({ description: `Guardrails, ${OTHERS}.`, example: 0 }) readonly guardrails!: number;
  @ResponseField.integer({ description: `Prompts, ${OTHERS}.`, example: 0 }) readonly prompts!: number;
  @ResponseField.boolean({ description: 'Whether the defaults of the organisation name it.' })
  readonly organisation!: boolean;
}

/** Declares the query parameter `include_used_by` of a list. */
export const IncludeUsedBy = (): PropertyDecorator =>
  QueryBooleanField({ optional: true, description: 'True adds used_by to each item.' });

export type UsedBy = { -readonly [K in keyof UsedByResponse]: UsedByResponse[K] };

type Counted = Exclude<keyof UsedBy, 'organisation'>;

const NONE: UsedBy = {
  api_keys: 0,
  workspaces: 0,
  configs: 0,
  guardrails: 0,
  prompts: 0,
  organisation: false,
};

interface Count {
  readonly name: string;
  readonly uses: string;
}

/** Adds the uses to the response of a row; null when they were not requested. */
export const withUses = <T extends { readonly id: string }>(
  shown: T,
  uses: ReadonlyMap<string, UsedBy> | null,
): T & { readonly used_by?: UsedBy } => {
  const used = uses?.get(shown.id);
  return used === undefined ? shown : { ...shown, used_by: used };
};

class Uses {
  private readonly byId: Map<string, UsedBy>;
  private readonly idOf = new Map<string, string>();

  constructor(rows: readonly { readonly id: string; readonly slug: string }[]) {
    this.byId = new Map(rows.map(({ id }) => [id, { ...NONE }]));
    for (const { id, slug } of rows) this.idOf.set(slug, id).set(id, id);
  }

  /** Adds counts by id or slug. */
  add(kind: Counted, counts: readonly Count[]): void {
    for (const { name, uses } of counts) {
      const used = this.byId.get(this.idOf.get(name) ?? '');
      if (used) used[kind] += Number(uses);
    }
  }

  organisation(names: readonly string[]): void {
    for (const name of names) {
      const used = this.byId.get(name);
      if (used) used.organisation = true;
    }
  }

  get names(): string[] {
    return [...this.idOf.keys()];
  }

  get all(): ReadonlyMap<string, UsedBy> {
    return this.byId;
  }
}

/**
 * Returns SQL for the active resources of a kind with the content of their current version, newest
 * first. `$1` and `$2` are the tenant.
 */
const current = (resource: 'configs' | 'guardrails', content: string): string =>
  `(SELECT o.id, ${content} AS content FROM ${resource} o
     JOIN ${resource.slice(0, -1)}_versions v ON v.id = o.current_version_id
    WHERE o.organisation_id = $1 AND ($2::uuid IS NULL OR o.workspace_id = $2) AND o.status = 'active'
    ORDER BY o.created_at DESC, o.id DESC LIMIT ${String(READ_MAX)}) owner`;

/** Returns SQL that counts the owners in whose content a JSON path finds one of the names `$3`. */
const naming = (owners: string, paths: readonly string[], name = 'found'): string =>
  `SELECT name, count(DISTINCT id) AS uses FROM (
     SELECT owner.id, ${name} AS name FROM ${owners}, LATERAL (${paths
       .map((path) => `SELECT jsonb_path_query(owner.content, '${path}') #>> '{}' AS found`)
       .join(' UNION ALL ')}) values_found) named
   WHERE name = ANY($3) GROUP BY name`;

const CONFIG_CONTENT = current('configs', 'v.content::jsonb');
const GUARDRAIL_CONTENT = current('guardrails', 'v.checks::jsonb');

const inTenant = ({ organisationId, workspaceId }: TenantWhere): [string, string | null] => [
  organisationId,
  workspaceId ?? null,
];

/** Returns the uses of configs of one workspace by config id. */
export async function usesOfConfigs(
  manager: EntityManager,
  at: TenantWhere,
  rows: readonly ConfigEntity[],
): Promise<ReadonlyMap<string, UsedBy>> {
  const uses = new Uses(rows);
  const ids = rows.map(({ id }) => id);
  uses.add(
    'api_keys',
    await manager.query<Count[]>(
      `SELECT c.id AS name, (SELECT count(*) FROM (SELECT 1 FROM api_keys k
         WHERE k.default_config_id = c.id AND k.status <> 'archived' LIMIT ${String(KEYS_MAX)}) few) AS uses
       FROM unnest($1::uuid[]) c(id)`,
      [ids],
    ),
  );
  uses.add(
    'workspaces',
    await manager.query<Count[]>(
      `SELECT c.id AS name, 1 AS uses FROM configs c JOIN workspaces w ON w.id = c.workspace_id
       WHERE c.id = ANY($1) AND (c.is_default OR w.defaults->>'user_api_key_config' = c.id::text)`,
      [ids],
    ),
  );
  const asking = naming(GUARDRAIL_CONTENT, ['$[*].parameters.config']);
  uses.add('guardrails', await manager.query<Count[]>(asking, [...inTenant(at), uses.names]));
  return uses.all;
}

/** Returns the uses of providers and virtual keys of one workspace, by their id. */
export async function usesOfProviders(
  manager: EntityManager,
  at: TenantWhere,
  rows: readonly ProviderEntity[],
): Promise<ReadonlyMap<string, UsedBy>> {
  const uses = new Uses(rows);
  const slugs = rows.map(({ slug }) => slug);
  const tenant = inTenant(at);
  const paths = ['strict $.** ? (@.type() == "string" && @ starts with "@")', '$.**.virtual_key'];
  const provider = `ltrim(split_part(found, '/', 1), '@')`;
  uses.add(
    'configs',
    await manager.query<Count[]>(naming(CONFIG_CONTENT, paths, provider), [...tenant, slugs]),
  );
  const asking = naming(GUARDRAIL_CONTENT, ['$[*].parameters.provider'], provider);
  uses.add('guardrails', await manager.query<Count[]>(asking, [...tenant, slugs]));
  uses.add(
    'prompts',
    await manager.query<Count[]>(
      `SELECT ltrim(v.virtual_key, '@') AS name, count(DISTINCT p.id) AS uses
       FROM (SELECT id, published_version_id FROM prompts
             WHERE organisation_id = $1 AND ($2::uuid IS NULL OR workspace_id = $2) AND status = 'active'
             ORDER BY created_at DESC, id DESC LIMIT ${String(READ_MAX)}) p
       JOIN prompt_versions v ON v.prompt_id = p.id
       WHERE ltrim(v.virtual_key, '@') = ANY($3) AND (v.id = p.published_version_id
         OR EXISTS (SELECT 1 FROM prompt_labels l WHERE l.version_id = v.id))
       GROUP BY 1`,
      [...tenant, slugs],
    ),
  );
  return uses.all;
}

/** Members of a config and its targets that list guardrails, as names or as objects with an id. */
const GUARDRAIL_PATHS = [
  'input_guardrails',
  'output_guardrails',
  'before_request_hooks',
  'after_request_hooks',
].flatMap((list) => [`$.**.${list}[*] ? (@.type() == "string")`, `$.**.${list}[*].id`]);

const DEFAULTS = `LATERAL (SELECT jsonb_array_elements_text(
  COALESCE(o.defaults->'input_guardrails', '[]') || COALESCE(o.defaults->'output_guardrails', '[]')) AS name) d`;

/** Returns the uses of guardrails by their id, in the workspaces that the caller can reach. */
export async function usesOfGuardrails(
  manager: EntityManager,
  at: TenantWhere,
  rows: readonly GuardrailEntity[],
): Promise<ReadonlyMap<string, UsedBy>> {
  const uses = new Uses(rows);
  const tenant = inTenant(at);
  const ids = rows.map(({ id }) => id);
  const configs = naming(CONFIG_CONTENT, GUARDRAIL_PATHS);
  uses.add('configs', await manager.query<Count[]>(configs, [...tenant, uses.names]));
  uses.add(
    'workspaces',
    await manager.query<Count[]>(
      `SELECT d.name, count(DISTINCT o.id) AS uses FROM workspaces o, ${DEFAULTS}
       WHERE o.organisation_id = $1 AND ($2::uuid IS NULL OR o.id = $2) AND o.status = 'active'
         AND d.name = ANY($3) GROUP BY d.name`,
      [...tenant, ids],
    ),
  );
  const common = await manager.query<{ name: string }[]>(
    `SELECT DISTINCT d.name FROM organisations o, ${DEFAULTS} WHERE o.id = $1 AND d.name = ANY($2)`,
    [at.organisationId, ids],
  );
  uses.organisation(common.map(({ name }) => name));
  return uses.all;
}
