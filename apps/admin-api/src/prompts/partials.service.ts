import { PromptEntity, PromptVersionEntity } from '@gw/entities';
import { assertMatches, listOf, windowOf, type ListAnswer, type PageQuery } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Writes } from '../audit/writes';
import type { Principal } from '../auth/principal';
import { inWorkspace } from '../auth/tenancy';
import { EMPTY_CONTENT } from './prompt-content';
import { audiencesOf, pageOfPrompts } from './prompt-lists';
import {
  actorOf,
  findOwn,
  findReadable,
  keysOf,
  RESOURCE,
  splitReference,
  versionMeant,
} from './prompt-rows';
import { addVersion, archive, auditOf, createPrompt, moveTo, publish } from './prompt-writes';
import type {
  CreatedPromptDto,
  CreatePartialDto,
  ListPromptsQuery,
  UpdatedPartialDto,
  UpdatePartialDto,
} from './prompts.dto';
import {
  toPartial,
  toPartialItem,
  toPartialVersion,
  type PartialAnswer,
  type PartialItemAnswer,
  type PartialVersionAnswer,
} from './prompts.view';

@Injectable()
export class PartialsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  create(caller: Principal, input: CreatePartialDto): Promise<CreatedPromptDto> {
    const owner = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { name, slug, collection_id: collection, version_description: description = null } = input;
      const content = { ...EMPTY_CONTENT, template: input.string, description };
      const row = await createPrompt(write, caller, owner, {
        type: 'partial',
        name,
        slug,
        collection,
        content,
      });
      return { id: row.id, slug: row.slug, version_id: row.latestVersionId, object: 'partial' };
    });
  }

  async list(caller: Principal, query: ListPromptsQuery): Promise<ListAnswer<PartialItemAnswer>> {
    const { manager } = this.dataSource;
    const [rows, total] = await pageOfPrompts(manager, caller, 'partial', query);
    const audienceOf = await audiencesOf(manager, caller, query, rows);
    return listOf([rows.map((row) => ({ ...toPartialItem(row), ...audienceOf(row) })), total]);
  }

  async get(caller: Principal, reference: string, version: string | undefined): Promise<PartialAnswer> {
    const { manager } = this.dataSource;
    const [name, named] = splitReference(reference);
    const row = await findReadable(manager, caller, 'partial', name);
    return toPartial(row, await versionMeant(manager, row, version ?? named));
  }

  update(
    caller: Principal,
    reference: string,
    input: UpdatePartialDto,
    ifMatch: string | undefined,
  ): Promise<UpdatedPartialDto> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findOwn(manager, caller, 'partial', reference);
      assertMatches(ifMatch, row);
      if (input.status === 'archived') {
        await archive(write, row);
        return { prompt_partial_version_id: row.latestVersionId };
      }
      const before = auditOf(row);
      if (input.name !== undefined) row.name = input.name;
      if (input.collection_id !== undefined) await moveTo(manager, row, input.collection_id);
      if (input.string !== undefined) {
        const description = input.version_description ?? input.description ?? null;
        await addVersion(manager, caller, row, { ...EMPTY_CONTENT, template: input.string, description });
      }
      row.updatedBy = actorOf(caller);
      await manager.save(PromptEntity, row);
      write.audit({
        action: 'update',
        resourceType: RESOURCE.partial,
        resourceId: row.id,
        workspaceId: row.workspaceId,
        before,
        after: { ...auditOf(row), ...(input.string === undefined ? {} : { string: input.string }) },
      });
      write.changed(...keysOf(row));
      return { prompt_partial_version_id: row.latestVersionId };
    });
  }

  /** Soft. 409 while prompts or partials include it, or it is shared. */
  remove(caller: Principal, reference: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const row = await findOwn(write.manager, caller, 'partial', reference);
      assertMatches(ifMatch, row);
      await archive(write, row);
      return {};
    });
  }

  /** Newest first. */
  async versions(
    caller: Principal,
    reference: string,
    query: PageQuery,
  ): Promise<ListAnswer<PartialVersionAnswer>> {
    const { manager } = this.dataSource;
    const row = await findReadable(manager, caller, 'partial', reference);
    const [versions, total] = await manager.findAndCount(PromptVersionEntity, {
      where: { promptId: row.id },
      order: { number: 'DESC' },
      ...windowOf(query),
    });
    return listOf([versions.map((version) => toPartialVersion(row, version)), total]);
  }

  publish(
    caller: Principal,
    reference: string,
    number: number,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const row = await findOwn(write.manager, caller, 'partial', reference);
      assertMatches(ifMatch, row);
      await publish(write, caller, row, number);
      return {};
    });
  }
}
