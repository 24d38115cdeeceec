import { GuardrailEntity, GuardrailVersionEntity, type ConfigEntity } from '@gw/entities';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';

/** Live guardrails by what the version in force says. */
const inForce = (manager: EntityManager): SelectQueryBuilder<GuardrailEntity> =>
  manager
    .createQueryBuilder(GuardrailEntity, 'g')
    .innerJoin(GuardrailVersionEntity, 'v', 'v.id = g.currentVersionId')
    .where(`g.status = 'active'`);

/** Those whose checks take a secret by a reference. */
export const guardrailsUsing = (manager: EntityManager, referenceId: string): Promise<GuardrailEntity[]> =>
  inForce(manager)
    .andWhere('strpos(v.checks::text, :probe) > 0', { probe: JSON.stringify(referenceId) })
    .getMany();

/** Those of an organisation with checks of a partner. */
export const guardrailsOfPartner = (
  manager: EntityManager,
  organisationId: string,
  partner: string,
): Promise<GuardrailEntity[]> =>
  inForce(manager)
    .andWhere('g.organisationId = :organisationId', { organisationId })
    .andWhere(
      `EXISTS (SELECT 1 FROM json_array_elements(v.checks) AS c WHERE starts_with(lower(c ->> 'id'), :prefix))`,
      { prefix: `${partner}.` },
    )
    .getMany();

/** Those of a config's workspace whose checks ask models by it. */
export const guardrailsAskingBy = (
  manager: EntityManager,
  { id, slug, workspaceId }: Pick<ConfigEntity, 'id' | 'slug' | 'workspaceId'>,
): Promise<GuardrailEntity[]> =>
  inForce(manager)
    .andWhere('g.workspaceId = :workspaceId', { workspaceId })
    .andWhere(
      `EXISTS (SELECT 1 FROM json_array_elements(v.checks) AS c WHERE c -> 'parameters' ->> 'config' IN (:...names))`,
      { names: [id, slug] },
    )
    .getMany();
