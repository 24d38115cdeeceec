import { OrganisationEntity, WorkspaceEntity, type GuardrailEntity } from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { assertNotUsed, NAMED_MAX } from '../../platform/common/uses';
import { guardrailsNamedBy } from '../../platform/rows/config-guardrails';

/**
 * Throws `conflict`, listing the uses, while defaults or current config versions name the
 * guardrail.
 */
export async function assertUnused(manager: EntityManager, row: GuardrailEntity): Promise<void> {
  const configs = await configsNaming(manager, row);
  const uses = [
    ...(await defaultsNaming(manager, row)),
    ...configs.map(({ slug }) => ({ path: `configs.${slug}`, message: `The config ${slug} names it.` })),
  ];
  assertNotUsed('The guardrail is in use; remove these uses first.', uses);
}

async function defaultsNaming(
  manager: EntityManager,
  { id, organisationId }: GuardrailEntity,
): Promise<ErrorDetail[]> {
  const uses: ErrorDetail[] = [];
  for (const list of ['input_guardrails', 'output_guardrails'] as const) {
    const holds = { holds: JSON.stringify({ [list]: [id] }) };
    const own = manager
      .createQueryBuilder(OrganisationEntity, 'owner')
      .where('owner.id = :organisationId', { organisationId });
    if ((await own.andWhere('owner.defaults @> :holds::jsonb', holds).getCount()) > 0) {
      uses.push({ path: `organisation.defaults.${list}`, message: 'It is a default of the organisation.' });
    }
    const workspaces = await manager
      .createQueryBuilder(WorkspaceEntity, 'owner')
      .where(`owner.organisationId = :organisationId AND owner.status = 'active'`, { organisationId })
      .andWhere('owner.defaults @> :holds::jsonb', holds)
      .orderBy('owner.createdAt')
      .take(NAMED_MAX)
      .getMany();
    for (const { slug } of workspaces) {
      const message = `It is a default of the workspace ${slug}.`;
      uses.push({ path: `workspaces.${slug}.defaults.${list}`, message });
    }
  }
  return uses;
}

/**
 * Returns the active configs whose current version names the guardrail. The query finds configs
 * that contain the quoted slug or id anywhere; the filter keeps those that use it as a guardrail.
 */
export async function configsNaming(
  manager: EntityManager,
  { id, slug, organisationId, workspaceId }: GuardrailEntity,
): Promise<{ readonly id: string; readonly slug: string }[]> {
  const candidates = await manager.query<{ id: string; slug: string; content: Record<string, unknown> }[]>(
    `SELECT c.id, c.slug, v.content FROM configs c JOIN config_versions v ON v.id = c.current_version_id
     WHERE c.organisation_id = $1 AND c.status = 'active' AND ($2::uuid IS NULL OR c.workspace_id = $2)
       AND (strpos(v.content::text, $3) > 0 OR strpos(lower(v.content::text), $4) > 0)
     ORDER BY c.created_at, c.id`,
    [organisationId, workspaceId, JSON.stringify(slug), JSON.stringify(id)],
  );
  return candidates.filter(({ content }) =>
    guardrailsNamedBy(content).some((name) => name === slug || name.toLowerCase() === id),
  );
}
