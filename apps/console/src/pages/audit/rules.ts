import { PAGE_DEFAULTS, type PageRules } from '../../url';

/** API parameter of each filter field. The API takes one value for each. */
export const PARAMETERS = {
  action: 'action',
  resource: 'resource_type',
  thing: 'resource_id',
  actor: 'user_id',
  actor_type: 'user_type',
  workspace: 'workspace_id',
  method: 'method',
  status: 'response_status_code',
  ip: 'client_ip',
  request: 'request_id',
} as const;

export type AuditField = keyof typeof PARAMETERS;

/** Rules of the page's URL; `log` is the id of the open record. */
export const AUDIT_RULES: PageRules = {
  defaults: { ...PAGE_DEFAULTS, range: { kind: 'relative', span: '7d' } },
  acceptsFilter: ({ field, not, match }) => Object.hasOwn(PARAMETERS, field) && !not && match.kind === 'any',
};
