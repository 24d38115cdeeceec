import { isObject } from '@gw/kernel';
import { own, ownList } from '@gw/mcp';
import { ARGUMENT, textIn, timeOf, type ReadTool } from '../admin-tool';
import { integer, list, members, object, text } from '../shapes';
import { BUDGET, RATE, withRemaining } from './limit-tools';

export const listWorkspaces: ReadTool = {
  kind: 'read',
  name: 'list_workspaces',
  title: 'Workspaces',
  description:
    'Lists the workspaces that the credential may see, with their limits. Other tools accept their id or slug.',
  input: {
    name: { type: 'string', minLength: 1, maxLength: 255, description: 'Text that the name must contain.' },
    page: { type: 'integer', minimum: 0, maximum: 10_000, default: 0 },
  },
  output: {
    total: integer(),
    workspaces: list(
      members({
        id: text(),
        slug: text(),
        name: text(),
        description: text(),
        status: text(),
        usage_limits: list(BUDGET),
        rate_limits: list(RATE),
      }),
    ),
  },
  isUntrusted: false,
  routes: ['GET /v1/workspaces'],
  async run(args, rest) {
    const query = { name: textIn(args, 'name'), current_page: Number(args['page'] ?? 0), page_size: 50 };
    const page = await rest.send({ route: 'GET /v1/workspaces', query });
    const workspaces = ownList(page, 'data').filter(isObject).map(withRemaining);
    return { total: own(page, 'total'), workspaces };
  },
};

export const findAuditRecords: ReadTool = {
  kind: 'read',
  name: 'find_audit_records',
  title: 'Audit log',
  description:
    'Lists changes of the control plane and refused attempts, newest first: who changed what, with the values before and after. Changes made with tools of this server have the uri /mcp/admin#<tool>.',
  input: {
    since: { ...ARGUMENT.since, description: `${ARGUMENT.since.description} Default: 7d.` },
    until: ARGUMENT.until,
    resource_type: {
      type: 'string',
      maxLength: 64,
      description: 'Type of the changed resource, such as api_keys, providers or configs.',
    },
    action: {
      type: 'string',
      maxLength: 32,
      description: 'Action, such as create, update, delete or rotate.',
    },
    user_id: { type: 'string', format: 'uuid', description: 'Id of the user or API key that acted.' },
    uri: { type: 'string', maxLength: 2_048 },
    workspace_id: ARGUMENT.workspace,
    page: { type: 'integer', minimum: 0, maximum: 10_000, default: 0 },
    limit: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
  },
  output: {
    total: integer(),
    records: list(
      members({
        timestamp: text(),
        action: text(),
        resource_type: text(),
        resource_id: text(),
        workspace_id: text(),
        user_type: text(),
        user_id: text(),
        method: text(),
        uri: text(),
        response_status_code: integer(),
        error_type: text(),
        client_ip: text(),
        user_agent: text(),
        before: object('View of the resource before the change.'),
        after: object('View of the resource after the change.'),
      }),
    ),
  },
  isUntrusted: true,
  routes: ['GET /v1/audit-logs'],
  async run(args, rest) {
    const { page = 0, limit = 20 } = args;
    const named = ['resource_type', 'action', 'user_id', 'uri'].map((name) => [name, textIn(args, name)]);
    const found = await rest.send({
      route: 'GET /v1/audit-logs',
      query: {
        ...(Object.fromEntries(named) as Readonly<Record<string, string | undefined>>),
        workspace_id: textIn(args, 'workspace_id'),
        start_time: timeOf(args['since'], '7d'),
        end_time: textIn(args, 'until') && timeOf(args['until'], '0m'),
        ...{ current_page: page as number, page_size: limit as number },
      },
    });
    return { total: own(found, 'total'), records: ownList(found, 'records') };
  },
};
