import type { SavedGuardrailCheck } from '@gw/contracts';
import { GuardrailEntity, GuardrailVersionEntity, type GuardrailMcpServerEntity } from '@gw/entities';
import { randomHex, uuidv7 } from '@gw/kernel';
import {
  assertMatches,
  invalid,
  listOf,
  plainListOf,
  windowOf,
  type ListResponse,
  type PageQuery,
} from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Writes } from '../../platform/unit-of-work/writes';
import { assertMayChangeGuardrail } from '../../platform/auth/bound-contents';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree } from '../../platform/common/slugs';
import { GuardrailContents } from './guardrail-contents';
import {
  actorOf,
  addVersion,
  assertMay,
  currentOf,
  findGuardrail,
  findVersion,
  keysOf,
  listedFor,
} from '../../platform/rows/guardrail-rows';
import { assertReferencesStay, unmaskedChecks } from './guardrail-secrets';
import { assertUnused, configsNaming } from './guardrail-uses';
import { mappingsOf } from './mcp-mappings';
import type { CreateGuardrailDto, ListGuardrailsQuery, UpdateGuardrailDto } from './guardrails.dto';
import {
  toGuardrail,
  toGuardrailDetail,
  toGuardrailVersion,
  type GuardrailDetailResponse,
  type GuardrailListResponse,
  type SavedGuardrailResponse,
} from './guardrails.view';

const RESOURCE = 'guardrails';

@Injectable()
export class GuardrailsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly contents: GuardrailContents,
  ) {}

  /** Of the caller's workspace, or of the organisation when the call is not narrowed to one. */
  create(caller: Principal, input: CreateGuardrailDto): Promise<SavedGuardrailResponse> {
    assertOwn(caller, input.organisation_id);
    const { organisationId, workspaceId } = caller;
    assertMay(caller, workspaceId, 'create');
    const slug = input.slug ?? `pg-${randomHex(3)}`;
    const target = input.target ?? 'llm';
    const [id, versionId] = [uuidv7(), uuidv7()];
    assertReferencesStay(caller, checksOf(input.checks));
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      // Archived ones count: a slug names one guardrail of the organisation for ever.
      await assertSlugFree(manager, GuardrailEntity, { organisationId, slug });
      const content = await this.contents.stored(
        manager,
        { id, organisationId, workspaceId, slug, target },
        { checks: checksOf(input.checks), actions: input.actions ?? {} },
      );
      const row = await manager.save(
        manager.create(GuardrailEntity, {
          id,
          organisationId,
          workspaceId,
          slug,
          name: input.name,
          target,
          status: 'active',
          currentVersionId: versionId,
          ownerId: actorOf(caller),
          updatedBy: actorOf(caller),
        }),
      );
      const version = await addVersion(manager, caller, row, content, versionId);
      write.audit({
        action: 'create',
        resourceType: RESOURCE,
        resourceId: id,
        workspaceId,
        after: this.view(row, version, []),
      });
      write.changed(...(await keysOf(manager, row)));
      return { id, slug, version_id: versionId };
    });
  }

  async list(caller: Principal, query: ListGuardrailsQuery): Promise<GuardrailListResponse> {
    assertOwn(caller, query.organisation_id);
    const { ids, target } = query;
    const more = {
      ...(ids === undefined ? {} : { id: In(ids.map((id) => id.toLowerCase())) }),
      ...(target === undefined ? {} : { target }),
    };
    const [rows, total] = await this.dataSource.manager.findAndCount(GuardrailEntity, {
      where: listedFor(caller).map((where) => ({ ...where, ...more })),
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    return plainListOf([rows.map(toGuardrail), total]);
  }

  async get(caller: Principal, reference: string): Promise<GuardrailDetailResponse> {
    const { manager } = this.dataSource;
    const row = await findGuardrail(manager, caller, reference, 'read');
    return this.view(row, await currentOf(manager, row), await mappingsOf(manager, row.id));
  }

  /** New checks or actions are a new version. */
  update(
    caller: Principal,
    reference: string,
    input: UpdateGuardrailDto,
    ifMatch: string | undefined,
  ): Promise<SavedGuardrailResponse> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findGuardrail(manager, caller, reference, 'update');
      assertMatches(ifMatch, row);
      let version = await currentOf(manager, row);
      const mappings = await mappingsOf(manager, row.id);
      const before = this.view(row, version, mappings);
      if (input.name !== undefined) row.name = input.name;
      if (input.checks !== undefined || input.actions !== undefined) {
        await assertMayChangeGuardrail(manager, caller, row, await configsNaming(manager, row));
        const saved = this.contents.opened(row, version);
        if (input.checks) assertReferencesStay(caller, checksOf(input.checks), saved.checks);
        const checks = input.checks ? unmaskedChecks(checksOf(input.checks), saved.checks) : saved.checks;
        const actions = input.actions ?? saved.actions;
        const content = await this.contents.stored(manager, row, { checks, actions });
        version = await addVersion(manager, caller, row, content);
        row.currentVersionId = version.id;
      }
      row.updatedBy = actorOf(caller);
      const after = await manager.save(GuardrailEntity, row);
      write.audit({
        action: 'update',
        resourceType: RESOURCE,
        resourceId: row.id,
        workspaceId: row.workspaceId,
        before,
        after: this.view(after, version, mappings),
      });
      write.changed(...(await keysOf(manager, row)));
      return { id: row.id, slug: row.slug, version_id: version.id };
    });
  }

  /** Soft. 409 while a config in force or a default names it. */
  remove(caller: Principal, reference: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findGuardrail(manager, caller, reference, 'delete');
      assertMatches(ifMatch, row);
      await assertUnused(manager, row);
      const before = this.view(row, await currentOf(manager, row), await mappingsOf(manager, row.id));
      row.status = 'archived';
      await manager.save(GuardrailEntity, row);
      write.audit({
        action: 'delete',
        resourceType: RESOURCE,
        resourceId: row.id,
        workspaceId: row.workspaceId,
        before,
      });
      write.removed(...(await keysOf(manager, row)));
      return {};
    });
  }

  /** Newest first. */
  async versions(
    caller: Principal,
    reference: string,
    query: PageQuery,
  ): Promise<ListResponse<GuardrailDetailResponse>> {
    const { manager } = this.dataSource;
    const row = await findGuardrail(manager, caller, reference, 'read');
    const [versions, total] = await manager.findAndCount(GuardrailVersionEntity, {
      where: { guardrailId: row.id },
      order: { number: 'DESC' },
      ...windowOf(query),
    });
    const mappings = await mappingsOf(manager, row.id);
    const views = versions.map((version) =>
      toGuardrailVersion(row, version, this.contents.shown(row, version), mappings),
    );
    return listOf([views, total]);
  }

  async version(caller: Principal, reference: string, versionId: string): Promise<GuardrailDetailResponse> {
    const { manager } = this.dataSource;
    const row = await findGuardrail(manager, caller, reference, 'read');
    const version = await findVersion(manager, row, versionId);
    const mappings = await mappingsOf(manager, row.id);
    return toGuardrailVersion(row, version, this.contents.shown(row, version), mappings);
  }

  private view(
    row: GuardrailEntity,
    version: GuardrailVersionEntity,
    mappings: readonly GuardrailMcpServerEntity[],
  ): GuardrailDetailResponse {
    return toGuardrailDetail(row, version, this.contents.shown(row, version), mappings);
  }
}

/** What was written, whose shape is judged with its parameters. */
const checksOf = (checks: readonly Record<string, unknown>[]): readonly SavedGuardrailCheck[] =>
  checks as unknown as readonly SavedGuardrailCheck[];

function assertOwn(caller: Principal, organisationId: string | undefined): void {
  if (organisationId === undefined || organisationId.toLowerCase() === caller.organisationId) return;
  throw invalid('organisation_id', 'organisation_id must be the organisation of the credential');
}
