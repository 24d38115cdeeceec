import { ConnectBrowser } from './connect-browser';
import { ConnectFlows } from './connect-flows.service';
import { ConnectPagesController } from './connect-pages.controller';
import { ConnectTickets } from './connect-tickets';
import { ConnectUrls } from './connect-urls';
import { ConnectionScopes } from './connection-scopes.service';
import { ConnectionRefreshes } from './connection-refreshes.service';
import { ExchangedConnections } from './exchanged-connections.service';
import { McpConnectService } from './mcp-connect.service';
import { GatewayConnectionsController, McpConnectController } from './mcp-connections.controller';
import { McpConnections } from './mcp-connections.service';
import { TokenExchanges } from './token-exchanges.service';
import { UpstreamClients } from './upstream-clients';
import { UpstreamDiscovery } from './upstream-discovery';

/** Controllers and providers of users' connections to upstream MCP servers. */
export const MCP_CONNECTIONS = {
  controllers: [McpConnectController, ConnectPagesController, GatewayConnectionsController],
  providers: [
    ConnectBrowser,
    ConnectFlows,
    ConnectTickets,
    ConnectUrls,
    ConnectionRefreshes,
    ConnectionScopes,
    ExchangedConnections,
    TokenExchanges,
    McpConnections,
    McpConnectService,
    UpstreamClients,
    UpstreamDiscovery,
  ],
};
