import { ApprovalUses } from './approval-uses.service';
import { GatewayApprovalsController, McpApprovalsController } from './mcp-approvals.controller';
import { McpApprovalsService } from './mcp-approvals.service';

/** Controllers and providers of the approvals of single tool calls. */
export const MCP_APPROVALS = {
  controllers: [McpApprovalsController, GatewayApprovalsController],
  providers: [McpApprovalsService, ApprovalUses],
};
