import { LabelEntity, type PromptEntity } from '@gw/entities';
import { listOf, type ListResponse, type PageQuery } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { assertAllowed } from '../../platform/auth/scope-checks';
import { found } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { changeRow, findRow, lockRow } from '../../platform/resource/rows';
import { actorOf, findVersion, listVersions } from '../../platform/resource/versioned';
import { heldCollection } from '../../platform/rows/collection-rows';
import { labelNamed } from '../../platform/rows/label-rows';
import {
  labelsOf,
  latestOf,
  PROMPT_VERSIONS,
  PROMPTS,
  splitReference,
  referencedVersion,
  type PromptType,
} from '../../platform/rows/prompt-rows';
import { FOR_REFERENCE, Writes } from '../../platform/unit-of-work/writes';
import type { PromptKind } from './prompt-kinds';
import { audiencesOf, pageOfPrompts } from './prompt-lists';
import {
  addContent,
  archivePrompt,
  createPrompt,
  publishVersion,
  setLabel,
  type NewPrompt,
} from './prompt-writes';
import type { CreatedPromptResponse, ListPromptsQuery } from './prompts.dto';

/** Changes that an update makes to the row itself. */
interface RowChange {
  readonly name?: string;
  /** Id or slug of the collection. */
  readonly collection_id?: string;
  readonly status?: 'active' | 'archived';
}

/** Manages prompts and partials and their versions, one of which is published. */
@Injectable()
export class PromptsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  create<C extends NewPrompt, U, I, D, V>(
    kind: PromptKind<C, U, I, D, V>,
    caller: Principal,
    input: C,
  ): Promise<CreatedPromptResponse> {
    return this.writes.run(caller, (write) =>
      createPrompt(write, kind.type, input, kind.firstContent(input)),
    );
  }

  async list<C, U, I, D, V>(
    kind: PromptKind<C, U, I, D, V>,
    caller: Principal,
    query: ListPromptsQuery,
  ): Promise<ListResponse<I>> {
    const { manager } = this.dataSource;
    const [rows, total] = await pageOfPrompts(manager, caller, kind.type, query);
    const audienceOf = await audiencesOf(manager, caller, query, rows);
    const items = await kind.items(manager, rows);
    return listOf([items.map((item, at) => ({ ...item, ...audienceOf(found(rows[at])) })), total]);
  }

  /**
   * Returns a prompt by `slug`, `slug@3`, `slug@latest` or `slug@label`, or with the version as a
   * separate parameter.
   */
  async get<C, U, I, D, V>(
    kind: PromptKind<C, U, I, D, V>,
    { caller, reference: named }: ResourceReference,
    versionNamed: string | undefined,
  ): Promise<D> {
    const { manager } = this.dataSource;
    const [reference, version] = splitReference(named);
    const row = await findRow(manager, PROMPTS[kind.type], { caller, reference });
    const selected = await referencedVersion(manager, row, versionNamed ?? version);
    return kind.detail(row, selected, (await labelsOf(manager, [selected.id]))(selected.id));
  }

  /** Updates a prompt and returns the changed row. */
  update<C, U extends RowChange, I, D, V>(
    kind: PromptKind<C, U, I, D, V>,
    at: ResourceReference,
    input: U,
  ): Promise<PromptEntity> {
    return this.writes.run(at.caller, async (write) => {
      const { manager } = write;
      const { name, collection_id: collection, status } = input;
      if (status === 'archived') {
        assertAllowed(at.caller, ['prompts.delete']);
        const row = await lockRow(write, PROMPTS[kind.type], at);
        kind.nextContent(input, await latestOf(manager, row));
        await archivePrompt(write, kind.type, at);
        return row;
      }
      return changeRow(write, PROMPTS[kind.type], at, async (row) => {
        const { organisationId, workspaceId } = row;
        if (name !== undefined) row.name = name;
        if (collection !== undefined) {
          const owner = { organisationId, workspaceId };
          row.collectionId = (await heldCollection(manager, owner, collection, 'collection_id')).id;
        }
        row.updatedBy = actorOf(at.caller);
        const content = kind.nextContent(input, await latestOf(manager, row));
        return content === null ? {} : addContent(write, row, content);
      });
    });
  }

  /** Archives a prompt. Throws `conflict` while it is shared or included. */
  remove(type: PromptType, at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) => archivePrompt(write, type, at));
  }

  publish(type: PromptType, at: ResourceReference, number: number): Promise<object> {
    return this.writes.run(at.caller, async (write) => {
      await publishVersion(write, await lockRow(write, PROMPTS[type], at), number);
      return {};
    });
  }

  /** Lists versions, newest first. */
  async versions<C, U, I, D, V>(
    kind: PromptKind<C, U, I, D, V>,
    at: ResourceReference,
    query: PageQuery,
  ): Promise<ListResponse<V>> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, PROMPTS[kind.type], at);
    const [versions, total] = await listVersions(manager, PROMPT_VERSIONS, row.id, query);
    const ids = versions.map(({ id }) => id);
    const labels = await labelsOf(manager, ids);
    return listOf([versions.map((version) => kind.version(row, version, labels(version.id))), total]);
  }

  async version<C, U, I, D, V>(
    kind: PromptKind<C, U, I, D, V>,
    at: ResourceReference,
    versionId: string,
  ): Promise<D> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, PROMPTS[kind.type], at);
    const version = await findVersion(manager, PROMPT_VERSIONS, row.id, versionId);
    return kind.detail(row, version, (await labelsOf(manager, [version.id]))(version.id));
  }

  /**
   * Sets the label of a version of a prompt. `If-Match` is compared with the etag of the prompt.
   */
  label(at: ResourceReference, versionId: string, labelId: string | null): Promise<object> {
    return this.writes.run(at.caller, async (write) => {
      const { manager } = write;
      const row = await lockRow(write, PROMPTS.prompt, at);
      const version = await findVersion(manager, PROMPT_VERSIONS, row.id, versionId);
      const label = labelId === null ? null : await heldLabel(manager, at.caller, labelId);
      await setLabel(write, row, version, label);
      return {};
    });
  }
}

/** Returns a label and locks it, so that it is not deleted before the version has it. */
async function heldLabel(manager: EntityManager, caller: Principal, id: string): Promise<LabelEntity> {
  return found(await manager.findOne(LabelEntity, { where: labelNamed(caller, id), lock: FOR_REFERENCE }));
}
