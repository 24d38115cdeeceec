import { LogExportEntity, LogExportPartEntity, OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import {
  countLogs,
  exportRestrictionsOf,
  LOG_EXPORT_FIELDS,
  logExportFilter,
  type ExportRestrictions,
  type LogExportFilters,
} from '@gw/log-store';
import { assertMatches, invalid, listOf, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { ownDataOnly } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { found, inWorkspace, isUuid, reach } from '../../platform/auth/tenancy';
import { LogExportFiles } from './log-export-files';
import type {
  CreateLogExportDto,
  FieldRestrictionsResponse,
  ListLogExportsQuery,
  LogExportResponse,
  LogExportDownloadResponse,
  LogExportFiltersDto,
  LogExportTaskResponse,
  UpdateLogExportDto,
  WrittenLogExportResponse,
} from './log-exports.dto';
import { toLogExport } from './log-exports.view';

const RESOURCE = 'log_exports';
const COUNTED_MAX = 1_000_000;

@Injectable()
export class LogExportsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly files: LogExportFiles,
  ) {}

  create(caller: Principal, input: CreateLogExportDto): Promise<WrittenLogExportResponse> {
    const { organisationId, workspaceId } = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      await assertNotDenied(manager, caller, workspaceId, input.requested_data);
      const row = manager.create(LogExportEntity, {
        id: uuidv7(),
        organisationId,
        workspaceId,
        status: 'draft',
        description: input.description ?? null,
        format: input.format ?? 'jsonl',
        filters: await storedFilters(manager, workspaceId, input.filters),
        requestedData: input.requested_data,
        createdBy: caller.userId ?? caller.apiKeyId,
        attributedUserId: caller.userId ?? caller.makerId,
        onlyUserId: ownDataOnly(caller),
        until: null,
      });
      row.total = await countOf(manager, row);
      const saved = await manager.save(row);
      audit(write, 'create', saved, null);
      return written(saved);
    });
  }

  async list(caller: Principal, query: ListLogExportsQuery): Promise<ListResponse<LogExportResponse>> {
    const [rows, total] = await this.dataSource.manager.findAndCount(LogExportEntity, {
      where: visibleTo(caller),
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    return listOf([rows.map(toLogExport), total]);
  }

  async get(caller: Principal, id: string): Promise<LogExportResponse> {
    return toLogExport(await findExport(this.dataSource.manager, caller, id));
  }

  update(
    caller: Principal,
    id: string,
    input: UpdateLogExportDto,
    ifMatch: string | undefined,
  ): Promise<WrittenLogExportResponse> {
    return this.change(caller, id, 'update', async (row, manager) => {
      assertMatches(ifMatch, row);
      if (row.status === 'in_progress' || row.status === 'success')
        throw conflict('An export that runs or has succeeded cannot be changed; create another one.');
      await assertNotDenied(manager, caller, row.workspaceId, input.requested_data ?? row.requestedData);
      row.filters = await storedFilters(manager, row.workspaceId, input.filters);
      if (input.requested_data !== undefined) row.requestedData = input.requested_data;
      if (input.description !== undefined) row.description = input.description;
      if (input.format !== undefined) row.format = input.format;
      row.until = null;
      row.total = await countOf(manager, row);
    }).then(written);
  }

  /**
   * Starts the export from the beginning and discards the output of an earlier run. A worker takes it within seconds.
   */
  async start(caller: Principal, id: string): Promise<LogExportTaskResponse> {
    await this.change(caller, id, 'export', async (row, manager) => {
      if (row.status === 'in_progress') throw conflict('The export is already running.');
      if (row.status === 'success') throw conflict('The export has already succeeded; create another one.');
      await assertNotDenied(manager, caller, row.workspaceId, row.requestedData);
      await manager.delete(LogExportPartEntity, { exportId: row.id });
      Object.assign(row, {
        status: 'in_progress',
        run: row.run + 1,
        until: new Date(),
        rowsDone: 0,
        bytesDone: '0',
        position: null,
        failure: null,
        leaseOwner: null,
        leaseUntil: null,
        workersLost: 0,
        finishedAt: null,
      } satisfies Partial<LogExportEntity>);
    });
    return { message: 'The export has been started.', object: 'export' };
  }

  async cancel(caller: Principal, id: string): Promise<LogExportTaskResponse> {
    await this.change(caller, id, 'manage', (row) => {
      if (row.status !== 'in_progress') throw conflict('The export is not running.');
      Object.assign(row, { status: 'stopped', leaseOwner: null, leaseUntil: null, finishedAt: new Date() });
    });
    return { message: 'The export has been cancelled.', object: 'export' };
  }

  async download(caller: Principal, id: string): Promise<LogExportDownloadResponse> {
    const row = await findExport(this.dataSource.manager, caller, id);
    if (row.status !== 'success')
      throw invalid('exportId', 'the export has not succeeded, so it has no file');
    return { signed_url: this.files.link(caller, row) };
  }

  /** Hides the export at once; a worker deletes its files. */
  async remove(caller: Principal, id: string, ifMatch: string | undefined): Promise<object> {
    await this.change(caller, id, 'delete', (row) => {
      assertMatches(ifMatch, row);
      if (row.status === 'in_progress')
        throw conflict('A running export must be cancelled before it is deleted.');
      row.deletedAt = new Date();
    });
    return {};
  }

  async fieldRestrictions(caller: Principal): Promise<FieldRestrictionsResponse> {
    const { workspaceId } = inWorkspace(caller);
    const { deniedFields, source } = await restrictionsOf(this.dataSource.manager, caller, workspaceId);
    return {
      workspace_id: workspaceId,
      deniedFields,
      allowedFields: LOG_EXPORT_FIELDS.filter((field) => !deniedFields.includes(field)),
      source,
    };
  }

  private change(
    caller: Principal,
    id: string,
    action: string,
    apply: (row: LogExportEntity, manager: EntityManager) => void | Promise<void>,
  ): Promise<LogExportEntity> {
    return this.writes.run(caller, async (write) => {
      const row = await findExport(write.manager, caller, id, true);
      const before = toLogExport(row);
      await apply(row, write.manager);
      const saved = await write.manager.save(LogExportEntity, row);
      audit(write, action, saved, before);
      return saved;
    });
  }
}

const conflict = (message: string): GatewayError => new GatewayError('conflict', { message });

const written = ({ id, total }: LogExportEntity): WrittenLogExportResponse => ({
  id,
  total,
  object: 'export',
});

function audit(write: Write, action: string, row: LogExportEntity, before: LogExportResponse | null): void {
  const { id: resourceId, workspaceId } = row;
  write.audit({ action, resourceType: RESOURCE, resourceId, workspaceId, before, after: toLogExport(row) });
}

/**
 * Condition for the exports that a caller may see. Callers with a user key or restricted to their own data see only
 * exports that they created.
 */
function visibleTo(caller: Principal): FindOptionsWhere<LogExportEntity> {
  const owner = caller.keyType === 'workspace-user' ? caller.userId : ownDataOnly(caller);
  return {
    ...reach(caller),
    deletedAt: IsNull(),
    ...(owner === null ? {} : { attributedUserId: owner }),
  };
}

async function findExport(
  manager: EntityManager,
  caller: Principal,
  id: string,
  forUpdate = false,
): Promise<LogExportEntity> {
  if (!isUuid(id)) throw new GatewayError('not_found');
  const where = { ...visibleTo(caller), id: id.toLowerCase() };
  return found(await manager.findOne(LogExportEntity, { where, ...(forUpdate ? { lock: FOR_UPDATE } : {}) }));
}

const countOf = async (manager: EntityManager, row: LogExportEntity): Promise<number> => {
  const { page_size: size, current_page: page = 0 } = row.filters as LogExportFilters;
  const counted = await countLogs(manager, logExportFilter(row), COUNTED_MAX);
  return size === undefined ? counted : Math.max(0, Math.min(size, counted - page * size));
};

async function restrictionsOf(
  manager: EntityManager,
  { organisationId }: Principal,
  workspaceId: string,
): Promise<ExportRestrictions> {
  const organisation = await manager.findOneByOrFail(OrganisationEntity, { id: organisationId });
  const workspace = found(await manager.findOneBy(WorkspaceEntity, { id: workspaceId, organisationId }));
  return exportRestrictionsOf(organisation, workspace);
}

async function assertNotDenied(
  manager: EntityManager,
  caller: Principal,
  workspaceId: string,
  requested: readonly string[],
): Promise<void> {
  const { deniedFields } = await restrictionsOf(manager, caller, workspaceId);
  const denied = requested.filter((field) => deniedFields.includes(field));
  if (denied.length === 0) return;
  throw invalid(
    'requested_data',
    `requested_data must not contain these denied fields: ${denied.join(', ')}`,
  );
}

/** Returns the filters with canonical names, the only ones that workers know. */
async function storedFilters(
  manager: EntityManager,
  workspaceId: string,
  { created_at: created, workspace_slug: slug, ...rest }: LogExportFiltersDto,
): Promise<Record<string, unknown>> {
  if (slug !== undefined && !(await manager.existsBy(WorkspaceEntity, { id: workspaceId, slug })))
    throw invalid('filters.workspace_slug', 'filters.workspace_slug must be the workspace of the export');
  const filters: LogExportFilters = {
    ...rest,
    ...(created?.gte === undefined ? {} : { time_of_generation_min: created.gte }),
    ...(created?.lte === undefined ? {} : { time_of_generation_max: created.lte }),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
