import { GuardrailEntity, GuardrailVersionEntity, type ProviderEntity } from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { NAMED_MAX } from '../../platform/common/uses';

type Named = Pick<ProviderEntity, 'workspaceId' | 'slug'>;

/**
 * Returns the uses of a provider or virtual key by current config versions, published or labelled
 * prompt versions, and guardrails whose checks call models. Omits guardrails of the organisation,
 * since each workspace resolves their slug on its own.
 */
export async function usesOfProvider(manager: EntityManager, row: Named): Promise<ErrorDetail[]> {
  return [
    ...(await configsNaming(manager, row)),
    ...(await promptsNaming(manager, row)),
    ...(await guardrailsNaming(manager, row)),
  ];
}

/**
 * The query finds configs that contain the slug anywhere; the filter keeps those that use it as a
 * provider.
 */
async function configsNaming(manager: EntityManager, { workspaceId, slug }: Named): Promise<ErrorDetail[]> {
  const candidates = await manager.query<{ slug: string; content: unknown }[]>(
    `SELECT c.slug, v.content FROM configs c JOIN config_versions v ON v.id = c.current_version_id
     WHERE c.workspace_id = $1 AND c.status = 'active' AND strpos(v.content::text, $2) > 0
     ORDER BY c.created_at, c.id`,
    [workspaceId, slug],
  );
  return candidates
    .filter(({ content }) => names(content, slug))
    .map((config) => ({ path: `configs.${config.slug}`, message: `The config ${config.slug} names it.` }));
}

/**
 * Whether a value contains `@slug`, `@slug/model`, or the slug as a virtual key. The config must be
 * valid, so that its nesting is bounded.
 */
function names(value: unknown, slug: string, member = ''): boolean {
  if (typeof value === 'string') {
    return (
      value === `@${slug}` || value.startsWith(`@${slug}/`) || (member === 'virtual_key' && value === slug)
    );
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => names(inner, slug, name));
}

async function promptsNaming(manager: EntityManager, { workspaceId, slug }: Named): Promise<ErrorDetail[]> {
  const prompts = await manager.query<{ slug: string }[]>(
    `SELECT p.slug FROM prompts p
     WHERE p.workspace_id = $1 AND p.status = 'active' AND EXISTS (
       SELECT 1 FROM prompt_versions v
       WHERE v.prompt_id = p.id AND v.virtual_key IN ($2::text, '@' || $2::text)
         AND (v.id = p.published_version_id OR EXISTS (SELECT 1 FROM prompt_labels l WHERE l.version_id = v.id)))
     ORDER BY p.created_at, p.id LIMIT ${String(NAMED_MAX)}`,
    [workspaceId, slug],
  );
  return prompts.map((prompt) => ({
    path: `prompts.${prompt.slug}`,
    message: `The prompt ${prompt.slug} names it.`,
  }));
}

async function guardrailsNaming(
  manager: EntityManager,
  { workspaceId, slug }: Named,
): Promise<ErrorDetail[]> {
  const rows = await manager
    .createQueryBuilder(GuardrailEntity, 'g')
    .innerJoin(GuardrailVersionEntity, 'v', 'v.id = g.currentVersionId')
    .where(`g.status = 'active' AND g.workspaceId = :workspaceId`, { workspaceId })
    .andWhere(
      `EXISTS (SELECT 1 FROM json_array_elements(v.checks) AS c WHERE c -> 'parameters' ->> 'provider' = :name)`,
      { name: `@${slug}` },
    )
    .orderBy('g.createdAt')
    .take(NAMED_MAX)
    .getMany();
  return rows.map((guardrail) => ({
    path: `guardrails.${guardrail.slug}`,
    message: `The guardrail ${guardrail.slug} calls a model through it.`,
  }));
}
