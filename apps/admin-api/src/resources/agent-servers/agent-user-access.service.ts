import { AgentServerUserEntity } from '@gw/entities';
import { listWithMoreOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow, lockRow } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { accessOfMembers } from '../../platform/upstreams/server-members.queries';
import { pageFromZero } from '../../platform/upstreams/upstream-page';
import { setUserAccess, toMemberAccess } from '../../platform/upstreams/user-access';
import type { UpdateUserAccessDto, UserAccessQuery } from '../../platform/upstreams/user-access.dto';
import type { AgentUserAccessResponse } from './agent-server-access.dto';
import { AGENT_SERVER } from './agent-server-rows';
import type { AgentServerSuccessResponse } from './agent-servers.dto';

/** Manages which members of a workspace may use an agent. */
@Injectable()
export class AgentUserAccessService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(at: ResourceReference, query: UserAccessQuery): Promise<AgentUserAccessResponse> {
    const { manager } = this.dataSource;
    const server = await findRow(manager, AGENT_SERVER, at);
    const page = pageFromZero(query);
    const of = { search: query.search, users: AgentServerUserEntity };
    const [members, total] = await accessOfMembers(manager, server, page, of);
    const data = members.map((member) => toMemberAccess(server, member));
    return { ...listWithMoreOf([data, total], page), default_user_access: server.defaultUserAccess };
  }

  /** Throws `validation_failed` for users who are not members of the workspace. */
  update(at: ResourceReference, input: UpdateUserAccessDto): Promise<AgentServerSuccessResponse> {
    const kind = { resource: AGENT_SERVER, users: AgentServerUserEntity };
    return this.writes.run(at.caller, async (write) => {
      await setUserAccess(write, kind, await lockRow(write, AGENT_SERVER, at), input);
      return { success: true };
    });
  }
}
