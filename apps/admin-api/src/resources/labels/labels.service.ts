import { LabelEntity, OrganisationEntity, PromptEntity, PromptLabelEntity } from '@gw/entities';
import { GatewayError, type ErrorDetail, uuidv7 } from '@gw/kernel';
import { assertMatches, invalid, plainListOf, windowOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, ILike, In, IsNull, Not, type EntityManager } from 'typeorm';
import { FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { found } from '../../platform/auth/tenancy';
import { assertDeletable, type DeleteQuery } from '../../platform/common/uses';
import { escapeLike } from '../../platform/common/text';
import { findLabel, visibleTo } from '../../platform/rows/label-rows';
import { keysOf } from '../../platform/rows/prompt-rows';
import type { CreatedLabelDto, CreateLabelDto, ListLabelsQuery, UpdateLabelDto } from './labels.dto';
import { toLabel, type LabelAnswer, type LabelListAnswer } from './labels.view';

const RESOURCE = 'labels';

@Injectable()
export class LabelsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  create(caller: Principal, input: CreateLabelDto): Promise<CreatedLabelDto> {
    assertOwn(caller, input.organisation_id);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { organisationId, workspaceId } = caller;
      await assertFree(manager, caller, workspaceId, input.name);
      const row = await manager.save(
        manager.create(LabelEntity, {
          id: uuidv7(),
          organisationId,
          workspaceId,
          name: input.name,
          description: input.description ?? null,
          colorCode: input.color_code ?? null,
          status: 'active',
        }),
      );
      write.audit({
        action: 'create',
        resourceType: RESOURCE,
        resourceId: row.id,
        workspaceId,
        after: toLabel(row, organisationId),
      });
      return { id: row.id };
    });
  }

  /** Its own ones, those of the organisation, and everybody's. */
  async list(caller: Principal, query: ListLabelsQuery): Promise<LabelListAnswer> {
    assertOwn(caller, query.organisation_id);
    const named =
      query.name ?? (query.search === undefined ? undefined : ILike(`%${escapeLike(query.search)}%`));
    const [rows, total] = await this.dataSource.manager.findAndCount(LabelEntity, {
      where: visibleTo(caller).map((where) => ({
        ...where,
        ...(named === undefined ? {} : { name: named }),
      })),
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    return plainListOf([rows.map((row) => toLabel(row, caller.organisationId)), total]);
  }

  async get(caller: Principal, id: string): Promise<LabelAnswer> {
    return toLabel(await findLabel(this.dataSource.manager, caller, id), caller.organisationId);
  }

  update(caller: Principal, id: string, input: UpdateLabelDto, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findOwn(manager, caller, id);
      assertMatches(ifMatch, row);
      const before = toLabel(row, caller.organisationId);
      if (input.name !== undefined && input.name !== row.name) {
        await assertFree(manager, caller, row.workspaceId, input.name);
        row.name = input.name;
        write.changed(...(await promptsWith(manager, row.id)).flatMap(keysOf));
      }
      if (input.description !== undefined) row.description = input.description;
      if (input.color_code !== undefined) row.colorCode = input.color_code;
      const saved = await manager.save(LabelEntity, row);
      write.audit({
        action: 'update',
        resourceType: RESOURCE,
        resourceId: row.id,
        workspaceId: row.workspaceId,
        before,
        after: toLabel(saved, caller.organisationId),
      });
      return {};
    });
  }

  /** Soft. With `force` also while versions carry it: they lose it, and are no longer found by it. */
  remove(caller: Principal, id: string, query: DeleteQuery, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findOwn(manager, caller, id);
      assertMatches(ifMatch, row);
      const prompts = await promptsWith(manager, row.id);
      assertDeletable('The label', prompts.map(labelled), query);
      write.changed(...prompts.flatMap(keysOf));
      await manager.delete(PromptLabelEntity, { labelId: row.id });
      const before = toLabel(row, caller.organisationId);
      row.status = 'archived';
      await manager.save(LabelEntity, row);
      write.audit({
        action: 'delete',
        resourceType: RESOURCE,
        resourceId: row.id,
        workspaceId: row.workspaceId,
        before,
      });
      return {};
    });
  }
}

/** One that the caller may change: a workspace's own from within it, the organisation's from outside of any. */
async function findOwn(manager: EntityManager, caller: Principal, id: string): Promise<LabelEntity> {
  const { id: known } = await findLabel(manager, caller, id);
  const row = found(await manager.findOne(LabelEntity, { where: { id: known }, lock: FOR_UPDATE }));
  if (row.organisationId === null) {
    throw new GatewayError('conflict', { message: 'The label is everybody’s and cannot be changed.' });
  }
  if (row.workspaceId === null && caller.workspaceId !== null) throw new GatewayError('forbidden');
  return row;
}

/** A name means one label in each workspace. */
async function assertFree(
  manager: EntityManager,
  caller: Principal,
  workspaceId: string | null,
  name: string,
): Promise<void> {
  const { organisationId } = caller;
  // The organisation's row serialises two writers of one name.
  await manager.findOne(OrganisationEntity, { where: { id: organisationId }, lock: FOR_UPDATE });
  const clash = await manager.existsBy(LabelEntity, [
    { organisationId: IsNull(), name, status: 'active' },
    { organisationId, name, status: 'active', ...(workspaceId === null ? {} : { workspaceId: IsNull() }) },
    ...(workspaceId === null ? [] : [{ organisationId, workspaceId, name, status: 'active' as const }]),
  ]);
  if (clash) throw new GatewayError('conflict', { param: 'name', message: 'There is a label of that name.' });
}

/** Live prompts with a version that carries the label. */
async function promptsWith(manager: EntityManager, labelId: string): Promise<PromptEntity[]> {
  const uses = await manager.findBy(PromptLabelEntity, { labelId });
  return manager.find(PromptEntity, {
    where: { id: In(uses.map(({ promptId }) => promptId)), status: Not<'archived'>('archived') },
    select: { id: true, slug: true, type: true, organisationId: true },
  });
}

const labelled = ({ slug, type }: PromptEntity): ErrorDetail => ({
  path: `${type}s.${slug}`,
  message: `A version of the ${type} ${slug} carries it.`,
});

function assertOwn(caller: Principal, organisationId: string | undefined): void {
  if (organisationId === undefined || organisationId.toLowerCase() === caller.organisationId) return;
  throw invalid('organisation_id', 'organisation_id is not that of the credential');
}
