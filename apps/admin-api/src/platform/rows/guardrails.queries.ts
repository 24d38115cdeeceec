import { GuardrailEntity, GuardrailVersionEntity, type ConfigEntity } from '@gw/entities';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';

/** Selects active guardrails joined with their current version. */
const inForce = (manager: EntityManager): SelectQueryBuilder<GuardrailEntity> =>
  manager
    .createQueryBuilder(GuardrailEntity, 'g')
    .innerJoin(GuardrailVersionEntity, 'v', 'v.id = g.currentVersionId')
    .where(`g.status = 'active'`);

/** Returns the guardrails whose checks use a secret reference. */
export const guardrailsUsing = (manager: EntityManager, referenceId: string): Promise<GuardrailEntity[]> =>
  inForce(manager)
    .andWhere('strpos(v.checks::text, :probe) > 0', { probe: JSON.stringify(referenceId) })
    .getMany();

/** Returns the guardrails of an organisation with checks of a partner. */
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

/** Returns the guardrails of the config's workspace whose checks call models through the config. */
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
