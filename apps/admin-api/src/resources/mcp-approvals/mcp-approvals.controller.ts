import { INTERNAL, type McpApprovalResponse as UsedApprovalResponse } from '@gw/contracts';
import { Body, Controller, Post, Query } from '@nestjs/common';
import { ApiExcludeController, ApiQuery } from '@nestjs/swagger';
import { ServiceOnly } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { ApprovalUses } from './approval-uses.service';
import {
  ListMcpApprovalsQuery,
  McpApprovalDecisionDto,
  McpApprovalListResponse,
  McpApprovalResponse,
  UseApprovalDto,
} from './mcp-approvals.dto';
import { McpApprovalsService } from './mcp-approvals.service';

const SCOPE = 'mcp_servers.update';

@ControlRoutes('mcp-approvals')
@ApiQuery(WORKSPACE_ID)
export class McpApprovalsController {
  constructor(private readonly approvals: McpApprovalsService) {}

  @Route.get('', SCOPE, McpApprovalListResponse)
  list(@Caller() caller: Principal, @Query() query: ListMcpApprovalsQuery): Promise<McpApprovalListResponse> {
    return this.approvals.list(caller, query);
  }

  @Route.get(':approvalId', SCOPE, McpApprovalResponse)
  get(@ResourceParam('approvalId') at: ResourceReference): Promise<McpApprovalResponse> {
    return this.approvals.get(at);
  }

  @Route.post(':approvalId/approve', SCOPE)
  approve(
    @ResourceParam('approvalId') at: ResourceReference,
    @Body() body: McpApprovalDecisionDto,
  ): Promise<object> {
    return this.approvals.decide(at, 'approve', body);
  }

  @Route.post(':approvalId/reject', SCOPE)
  reject(
    @ResourceParam('approvalId') at: ResourceReference,
    @Body() body: McpApprovalDecisionDto,
  ): Promise<object> {
    return this.approvals.decide(at, 'reject', body);
  }
}

/** Routes that gateways call. */
@ApiExcludeController()
@Controller()
export class GatewayApprovalsController {
  constructor(private readonly uses: ApprovalUses) {}

  @Post(INTERNAL.mcpApproval)
  @ServiceOnly()
  use(@Body() body: UseApprovalDto): Promise<UsedApprovalResponse> {
    return this.uses.use(body);
  }
}
