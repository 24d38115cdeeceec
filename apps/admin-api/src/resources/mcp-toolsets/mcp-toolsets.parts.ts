import { McpToolsetsController } from './mcp-toolsets.controller';
import { McpToolsetsService } from './mcp-toolsets.service';
import { ToolsetPreviewService } from './toolset-preview.service';

/** Controllers and providers of toolsets. */
export const MCP_TOOLSETS = {
  controllers: [McpToolsetsController],
  providers: [McpToolsetsService, ToolsetPreviewService],
};
