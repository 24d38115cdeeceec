import { pickOf, assign, columnsOf, plainListOf } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inWorkspace, reach } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import type { PublicUrlSettings } from '../../platform/common/public-url';
import { newMcpSlug } from '../../platform/mcp/mcp-slugs';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { archiveRow, createRow, findRow, listRows, patchRow } from '../../platform/resource/rows';
import { actorOf } from '../../platform/resource/versioned';
import { endGrantsOfTargets } from '../../platform/rows/grant-ends';
import { Writes } from '../../platform/unit-of-work/writes';
import { SETTINGS } from '../../settings';
import {
  McpToolsetFields,
  type CreatedMcpToolsetResponse,
  type CreateMcpToolsetDto,
  type ListMcpToolsetsQuery,
  type UpdateMcpToolsetDto,
} from './mcp-toolsets.dto';
import { toMcpToolset, type McpToolsetListResponse, type McpToolsetResponse } from './mcp-toolsets.view';
import { assertDistinctNames, checkedMembers } from './toolset-checks';
import { MCP_TOOLSET, partsOfToolsets } from './toolset-rows';

const PLAIN = pickOf(McpToolsetFields, 'name', 'description', 'instructions');

/** Manages toolsets, which combine MCP servers of a workspace under one address. */
@Injectable()
export class McpToolsetsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    @Inject(SETTINGS) private readonly settings: PublicUrlSettings,
  ) {}

  create(caller: Principal, input: CreateMcpToolsetDto): Promise<CreatedMcpToolsetResponse> {
    const owner = inWorkspace(caller);
    const { workspaceId } = owner;
    const { mode = 'list', failure = 'partial' } = input;
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const slug = await newMcpSlug(manager, workspaceId, input);
      const members = await checkedMembers(manager, caller, workspaceId, input.members);
      await assertDistinctNames(manager, { workspaceId, members, mode });
      const { id } = await createRow(write, MCP_TOOLSET, {
        ...{ ...owner, ...columnsOf(PLAIN, input), slug, members, mode, failure },
        ...{ ownerId: actorOf(caller), status: 'active' },
      });
      return { id, slug };
    });
  }

  async list(caller: Principal, query: ListMcpToolsetsQuery): Promise<McpToolsetListResponse> {
    const { manager } = this.dataSource;
    const [rows, total] = await listRows(manager, MCP_TOOLSET, query, {
      where: { ...reach(caller), status: 'active' },
      search: { text: query.search, in: ['name', 'slug'] },
    });
    const partsOf = await partsOfToolsets(manager, this.settings, rows);
    return plainListOf([rows.map((row) => toMcpToolset(row, partsOf(row))), total]);
  }

  async get(at: ResourceReference): Promise<McpToolsetResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, MCP_TOOLSET, at);
    return toMcpToolset(row, (await partsOfToolsets(manager, this.settings, [row]))(row));
  }

  /** Updates a toolset. Replaces the members if the request contains any. */
  update(at: ResourceReference, input: UpdateMcpToolsetDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, MCP_TOOLSET, at, async (row) => {
        const { manager } = write;
        const { members, mode, failure } = input;
        assign(PLAIN, row, input);
        if (failure !== undefined) row.failure = failure;
        if (mode !== undefined) row.mode = mode;
        if (members !== undefined)
          row.members = await checkedMembers(manager, at.caller, row.workspaceId, members);
        if (members !== undefined || mode !== undefined) await assertDistinctNames(manager, row);
      }),
    );
  }

  /** Archives the toolset, and ends OAuth grants for it. */
  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      archiveRow(write, MCP_TOOLSET, at, ({ id }) => endGrantsOfTargets(write, [id])),
    );
  }
}
