import { documentKey } from '@gw/contracts';
import { OrganisationEntity, WorkspaceExclusionEntity } from '@gw/entities';
import { assertTag, contentTag, invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { FOR_CHANGE, Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { inOrganisation } from '../../platform/auth/tenancy';
import { workspaceIds } from '../../platform/auth/workspace-references';
import type {
  ExclusionResponse,
  ExclusionDto,
  ExclusionsResponse,
  UpdateExclusionsDto,
} from './workspace-exclusions.dto';

export type Direction = 'input' | 'output';

/** Manages which workspaces skip the organisation's default guardrails. */
@Injectable()
export class WorkspaceExclusionsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async get(
    caller: Principal,
    direction: Direction,
    named: { readonly organisation_id?: string },
  ): Promise<ExclusionsResponse> {
    const { organisationId } = inOrganisation(caller, named.organisation_id);
    return responseOf(direction, await exclusionsOf(this.dataSource.manager, organisationId, direction));
  }

  /**
   * Merges exclusions into the existing ones, or replaces these with `override_existing`. Applies
   * all or none.
   */
  update(
    caller: Principal,
    direction: Direction,
    input: UpdateExclusionsDto,
    ifMatch: string | undefined,
  ): Promise<ExclusionsResponse> {
    const { organisationId } = inOrganisation(caller, input.organisation_id);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      // The lock serialises writers of the organisation, so that two bulk changes do not mix.
      await manager.findOne(OrganisationEntity, { where: { id: organisationId }, lock: FOR_CHANGE });
      const before = await exclusionsOf(manager, organisationId, direction);
      assertTag(ifMatch, responseOf(direction, before).etag);
      const wanted = new Map(before.map(({ workspace_id, excluded }) => [workspace_id, excluded]));
      if (input.override_existing === true) for (const id of wanted.keys()) wanted.set(id, false);
      for (const [id, excluded] of await namedIn(manager, organisationId, input.workspaces))
        wanted.set(id, excluded);
      const changed = before.filter(({ workspace_id, excluded }) => wanted.get(workspace_id) !== excluded);
      const added = changed.filter(({ excluded }) => !excluded).map(({ workspace_id }) => workspace_id);
      const removed = changed.filter(({ excluded }) => excluded).map(({ workspace_id }) => workspace_id);
      await manager.delete(WorkspaceExclusionEntity, { workspaceId: In(removed), direction });
      await manager.insert(
        WorkspaceExclusionEntity,
        added.map((workspaceId) => ({ workspaceId, direction })),
      );
      const after = await exclusionsOf(manager, organisationId, direction);
      write.audit({
        action: 'update',
        resourceType: 'workspace_exclusions',
        resourceId: null,
        before: { direction, workspaces: before.filter(({ excluded }) => excluded) },
        after: { direction, workspaces: after.filter(({ excluded }) => excluded) },
      });
      write.changed(changed.map(({ workspace_id }) => documentKey.workspace(workspace_id)));
      return responseOf(direction, after);
    });
  }
}

const responseOf = (direction: Direction, workspaces: readonly ExclusionResponse[]): ExclusionsResponse => ({
  workspaces,
  etag: contentTag([direction, workspaces]),
});

async function exclusionsOf(
  manager: EntityManager,
  organisationId: string,
  direction: Direction,
): Promise<ExclusionResponse[]> {
  return manager.query<ExclusionResponse[]>(
    `SELECT w.id AS workspace_id, e.workspace_id IS NOT NULL AS excluded
     FROM workspaces w LEFT JOIN workspace_exclusions e ON e.workspace_id = w.id AND e.direction = $2
     WHERE w.organisation_id = $1 AND w.status = 'active' ORDER BY w.created_at, w.id`,
    [organisationId, direction],
  );
}

async function namedIn(
  manager: EntityManager,
  organisationId: string,
  workspaces: readonly ExclusionDto[],
): Promise<Map<string, boolean>> {
  const named = new Map<string, boolean>();
  const pathOf = (index: number): string => `workspaces.${String(index)}.workspace_id`;
  const references = workspaces.map(({ workspace_id: reference }) => reference);
  const ids = await workspaceIds(manager, organisationId, references, pathOf);
  for (const [index, { excluded }] of workspaces.entries()) {
    const id = ids[index] ?? '';
    if (named.has(id)) throw invalid(pathOf(index), 'is duplicated; name each workspace once');
    named.set(id, excluded);
  }
  return named;
}
