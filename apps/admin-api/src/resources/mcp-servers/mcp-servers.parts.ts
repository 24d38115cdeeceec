import { McpAccessRulesService } from './mcp-access-rules.service';
import { McpConnectionsService } from './mcp-connections.service';
import { McpEffectiveAccessService } from './mcp-effective-access.service';
import { McpServerAccessController } from './mcp-server-access.controller';
import { McpServerCapabilitiesService } from './mcp-server-capabilities.service';
import { McpServersController } from './mcp-servers.controller';
import { McpServersService } from './mcp-servers.service';
import { McpUserAccessService } from './mcp-user-access.service';

/** Controllers and providers of MCP servers in workspaces and of the access to them. */
export const MCP_SERVERS = {
  controllers: [McpServersController, McpServerAccessController],
  providers: [
    McpServersService,
    McpServerCapabilitiesService,
    McpUserAccessService,
    McpConnectionsService,
    McpAccessRulesService,
    McpEffectiveAccessService,
  ],
};
