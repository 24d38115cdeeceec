import { PromptEntity, PromptShareEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { In, type EntityManager } from 'typeorm';
import { found } from '../auth/tenancy';
import type { Write } from '../unit-of-work/writes';
import { keysOf, PROMPTS } from './prompt-rows';

/**
 * Throws `conflict` if the workspace shares prompts or partials, because it then cannot be deleted.
 */
export async function assertNothingShared(manager: EntityManager, workspaceId: string): Promise<void> {
  const shared = await manager.findBy(PromptEntity, {
    workspaceId,
    status: 'active',
    accessLevel: In(['workspaces', 'organisation']),
  });
  if (shared.length === 0) return;
  throw new GatewayError('conflict', {
    message: 'The workspace shares prompts or partials; unshare them first.',
    details: shared
      .slice(0, 20)
      .map(({ type, slug }) => ({ path: PROMPTS[type].type, message: `${slug} is shared` })),
  });
}

/**
 * Archives the prompts of a deleted workspace and removes the shares that it received from other
 * workspaces.
 */
export async function archivePromptsOf(write: Write, workspaceId: string): Promise<void> {
  const { manager } = write;
  const received = await manager.findBy(PromptShareEntity, { workspaceId });
  await manager.delete(PromptShareEntity, { workspaceId });
  for (const { promptId } of received)
    write.changed(keysOf(found(await manager.findOneBy(PromptEntity, { id: promptId }))));
  const rows = await manager.findBy(PromptEntity, { workspaceId, status: 'active' });
  await manager.update(PromptEntity, { workspaceId, status: 'active' }, { status: 'archived' });
  for (const row of rows) {
    write.audit({ action: 'delete', resourceType: PROMPTS[row.type].type, resourceId: row.id, workspaceId });
  }
  write.removed(rows.flatMap(keysOf));
}
