import type { SavedGuardrailCheck } from '@gw/contracts';
import { ConfigEntity, ProviderEntity, type GuardrailEntity } from '@gw/entities';
import { asksModel } from '@gw/guardrails';
import type { ErrorDetail } from '@gw/kernel';
import { validationFailed } from '@gw/web';
import { Not, type EntityManager } from 'typeorm';
import { byReference } from '../../platform/auth/tenancy';

/**
 * Throws `validation_failed` if a check calls a model through a config or provider that the
 * guardrail's workspace does not have. Does not check a guardrail of the organisation, since each
 * workspace resolves the slug on its own.
 */
export async function assertModelTargets(
  manager: EntityManager,
  { workspaceId }: Pick<GuardrailEntity, 'workspaceId'>,
  checks: readonly SavedGuardrailCheck[],
): Promise<void> {
  if (workspaceId === null) return;
  const faults: ErrorDetail[] = [];
  for (const [at, { id, parameters = {} }] of checks.entries()) {
    if (!asksModel(id)) continue;
    const path = `checks.${String(at)}.parameters`;
    const { config, provider } = parameters;
    if (typeof config === 'string' && !(await hasConfig(manager, workspaceId, config)))
      faults.push({ path: `${path}.config`, message: 'must be a config of the workspace' });
    if (typeof provider === 'string' && !(await hasProvider(manager, workspaceId, provider.slice(1))))
      faults.push({ path: `${path}.provider`, message: 'must be a provider of the workspace' });
  }
  if (faults.length > 0) throw validationFailed(faults);
}

/**
 * Whether the config exists. Locks it until the commit, so that it cannot be deleted in the
 * meantime.
 */
const hasConfig = async (manager: EntityManager, workspaceId: string, name: string): Promise<boolean> =>
  (await manager.findOne(ConfigEntity, {
    where: { ...byReference(name), workspaceId, status: 'active' },
    lock: { mode: 'pessimistic_read' },
  })) !== null;

const hasProvider = (manager: EntityManager, workspaceId: string, slug: string): Promise<boolean> =>
  manager.existsBy(ProviderEntity, { workspaceId, slug, status: Not<ProviderEntity['status']>('archived') });
