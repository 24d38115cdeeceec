import type { Route } from '../routes/route-table';

/** The route of requests to MCP servers. */
export const MCP_ROUTE: Route = {
  kind: 'passthrough',
  name: 'mcp',
  dialect: 'openai',
  address: null,
  body: 'rpc',
  model: 'never',
  scopes: ['mcp.invoke'],
  checkBody: null,
  checkQuery: null,
  followUp: null,
  prompt: null,
  upstreamPath: '',
  call: null,
  handsOutAccess: false,
};

const routesByMethod = new Map<string, Route>();

/** Returns the route of an MCP method; its name is, for example, `mcp.tools.call`. */
export function routeOfMethod(method: string): Route {
  let route = routesByMethod.get(method);
  if (route === undefined) {
    route = { ...MCP_ROUTE, name: `mcp.${method.replaceAll('/', '.')}` };
    routesByMethod.set(method, route);
  }
  return route;
}
