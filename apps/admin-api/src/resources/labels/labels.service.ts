import { LabelEntity, OrganisationEntity, PromptEntity, PromptLabelEntity } from '@gw/entities';
import { GatewayError, type ErrorDetail } from '@gw/kernel';
import { assign, columnsOf, invalid, plainListOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, Not, type EntityManager } from 'typeorm';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import type { Principal } from '../../platform/common/principal';
import { assertDeletable, type DeleteQuery } from '../../platform/common/uses';
import { labelNamed, visibleTo } from '../../platform/rows/label-rows';
import { keysOf } from '../../platform/rows/prompt-rows';
import {
  archiveRow,
  createRow,
  findRow,
  listRows,
  patchRow,
  present,
  type Resource,
} from '../../platform/resource/rows';
import { FOR_CHANGE, Writes } from '../../platform/unit-of-work/writes';
import {
  LabelFields,
  toLabel,
  type CreatedLabelResponse,
  type CreateLabelDto,
  type LabelResponse,
  type LabelListResponse,
  type ListLabelsQuery,
  type UpdateLabelDto,
} from './labels.dto';

const LABEL: Resource<LabelEntity> = {
  entity: LabelEntity,
  type: 'labels',
  view: (row, { organisationId }) => toLabel(row, organisationId),
  where: labelNamed,
  /** An organisation's label can be changed only by a call that names no workspace. */
  allow: (row, caller) => {
    if (row.organisationId === null) {
      throw new GatewayError('conflict', { message: 'The label is built in and cannot be changed.' });
    }
    if (row.workspaceId === null && caller.workspaceId !== null)
      throw new GatewayError('forbidden', {
        message:
          'The label belongs to the whole organisation; use a credential of the organisation and name no workspace.',
      });
  },
};

@Injectable()
export class LabelsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  create(caller: Principal, input: CreateLabelDto): Promise<CreatedLabelResponse> {
    assertOwn(caller, input.organisation_id);
    return this.writes.run(caller, async (write) => {
      const { organisationId, workspaceId } = caller;
      await assertFree(write.manager, caller, workspaceId, input.name);
      const columns = columnsOf(LabelFields, input);
      const { id } = await createRow(write, LABEL, {
        ...columns,
        organisationId,
        workspaceId,
        status: 'active',
      });
      return { id };
    });
  }

  /** Lists the labels of the workspace, those of the organisation and the built-in ones. */
  async list(caller: Principal, query: ListLabelsQuery): Promise<LabelListResponse> {
    assertOwn(caller, query.organisation_id);
    const { name } = query;
    const [rows, total] = await listRows(this.dataSource.manager, LABEL, query, {
      where: visibleTo(caller).map((where) => ({ ...where, ...present({ name }) })),
      search: { text: name === undefined ? query.search : undefined, in: ['name'] },
    });
    return plainListOf([rows.map((row) => toLabel(row, caller.organisationId)), total]);
  }

  async get(at: ResourceReference): Promise<LabelResponse> {
    return toLabel(await findRow(this.dataSource.manager, LABEL, at), at.caller.organisationId);
  }

  update(at: ResourceReference, input: UpdateLabelDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, LABEL, at, async (row) => {
        if (input.name !== undefined && input.name !== row.name) {
          await assertFree(write.manager, at.caller, row.workspaceId, input.name);
          write.changed((await promptsWith(write.manager, row.id)).flatMap(keysOf));
        }
        assign(LabelFields, row, input);
      }),
    );
  }

  /**
   * Archives the label. With `force`, also archives it while prompt versions have it; they lose the
   * label.
   */
  remove(at: ResourceReference, query: DeleteQuery): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      archiveRow(write, LABEL, at, async (row) => {
        const prompts = await promptsWith(write.manager, row.id);
        assertDeletable('The label', prompts.map(labelled), query);
        write.changed(prompts.flatMap(keysOf));
        await write.manager.delete(PromptLabelEntity, { labelId: row.id });
      }),
    );
  }
}

/**
 * Throws `conflict` when the name already identifies a label in the workspace, or in any workspace
 * when `workspaceId` is null.
 */
async function assertFree(
  manager: EntityManager,
  caller: Principal,
  workspaceId: string | null,
  name: string,
): Promise<void> {
  const { organisationId } = caller;
  // The lock on the organisation's row serialises concurrent writes of one name.
  await manager.findOne(OrganisationEntity, { where: { id: organisationId }, lock: FOR_CHANGE });
  const clash = await manager.existsBy(
    LabelEntity,
    visibleTo({ organisationId, workspaceId }).map((where) => ({ ...where, name })),
  );
  if (clash)
    throw new GatewayError('conflict', {
      param: 'name',
      message: 'A label with this name already exists; choose another name.',
    });
}

/** Returns the prompts that are not archived and have a version with the label. */
async function promptsWith(manager: EntityManager, labelId: string): Promise<PromptEntity[]> {
  const uses = await manager.findBy(PromptLabelEntity, { labelId });
  return manager.find(PromptEntity, {
    where: { id: In(uses.map(({ promptId }) => promptId)), status: Not<'archived'>('archived') },
    select: { id: true, slug: true, type: true, organisationId: true },
  });
}

const labelled = ({ slug, type }: PromptEntity): ErrorDetail => ({
  path: `${type}s.${slug}`,
  message: `A version of the ${type} ${slug} has this label.`,
});

function assertOwn(caller: Principal, organisationId: string | undefined): void {
  if (organisationId === undefined || organisationId.toLowerCase() === caller.organisationId) return;
  throw invalid('organisation_id', 'organisation_id must be the organisation of the credential');
}
