import { PromptEntity, PromptVersionEntity } from '@gw/entities';
import { assertMatches, windowOf, type PageQuery } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Writes, type Write } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import type { VersionContent } from './prompt-content';
import {
  actorOf,
  findOwn,
  findReadable,
  keysOf,
  latestOf,
  RESOURCE,
  type PromptType,
} from '../../platform/rows/prompt-rows';
import { addVersion, archive, auditOf, moveTo, publish } from './prompt-writes';

/** What a change says of the row itself. */
interface RowChange {
  readonly name?: string;
  /** Id or slug. */
  readonly collection_id?: string;
  readonly status?: 'active' | 'archived';
}

/** What prompts and partials have in common: versions, of which one is published. */
@Injectable()
export abstract class TemplatesService {
  protected abstract readonly type: PromptType;

  constructor(
    protected readonly dataSource: DataSource,
    protected readonly writes: Writes,
  ) {}

  /** Soft. 409 while it is shared or included. */
  remove(caller: Principal, reference: string, ifMatch: string | undefined): Promise<object> {
    return this.write(caller, reference, ifMatch, async (write, row) => {
      await archive(write, row);
      return {};
    });
  }

  publish(
    caller: Principal,
    reference: string,
    number: number,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.write(caller, reference, ifMatch, async (write, row) => {
      await publish(write, caller, row, number);
      return {};
    });
  }

  /** `contentOf` makes the next version of the latest one; null: there is none. Gives the row as it is then. */
  protected change(
    caller: Principal,
    reference: string,
    input: RowChange,
    ifMatch: string | undefined,
    contentOf: (latest: VersionContent) => VersionContent | null,
  ): Promise<PromptEntity> {
    return this.write(caller, reference, ifMatch, async (write, row) => {
      if (input.status === 'archived') {
        await archive(write, row);
        return row;
      }
      const { manager } = write;
      const latest = await latestOf(manager, row);
      const before = { ...auditOf(row), version: latest.number };
      if (input.name !== undefined) row.name = input.name;
      if (input.collection_id !== undefined) await moveTo(manager, row, input.collection_id);
      const content = contentOf(latest);
      if (content !== null) await addVersion(manager, caller, row, content);
      row.updatedBy = actorOf(caller);
      await manager.save(PromptEntity, row);
      write.audit({
        action: 'update',
        resourceType: RESOURCE[row.type],
        resourceId: row.id,
        workspaceId: row.workspaceId,
        before,
        after: { ...auditOf(row), ...content },
      });
      write.changed(...keysOf(row));
      return row;
    });
  }

  /** Newest first. */
  protected async pageOfVersions(
    manager: EntityManager,
    caller: Principal,
    reference: string,
    query: PageQuery,
  ): Promise<{ row: PromptEntity; versions: PromptVersionEntity[]; total: number }> {
    const row = await findReadable(manager, caller, this.type, reference);
    const [versions, total] = await manager.findAndCount(PromptVersionEntity, {
      where: { promptId: row.id },
      order: { number: 'DESC' },
      ...windowOf(query),
    });
    return { row, versions, total };
  }

  private write<T>(
    caller: Principal,
    reference: string,
    ifMatch: string | undefined,
    work: (write: Write, row: PromptEntity) => Promise<T>,
  ): Promise<T> {
    return this.writes.run(caller, async (write) => {
      const row = await findOwn(write.manager, caller, this.type, reference);
      assertMatches(ifMatch, row);
      return work(write, row);
    });
  }
}
