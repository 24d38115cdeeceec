import SCOPES from '../generated/scopes.json';
import type { Bootstrap, Permissions, Self } from '../app';

const WORKSPACE = { id: '0198f3a1-0000-7000-8000-000000000001', slug: 'search', name: 'Search team' };
const OTHER = { id: '0198f3a1-0000-7000-8000-000000000002', slug: 'batch', name: 'Batch' };
const ORGANISATION = { id: '0198f3a1-0000-7000-8000-000000000003', name: 'Acme' };

/**
 * Response of `GET /v1/auth/self` for the owner of an organisation with two workspaces, `search`
 * and `batch`.
 */
export const OWNER_SELF: Self = {
  object: 'user',
  id: '0198f3a1-0000-7000-8000-000000000004',
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  organisation: { ...ORGANISATION, role: 'owner', settings: {} },
  organisations: [{ ...ORGANISATION, role: 'owner' }],
  workspaces: [
    { ...WORKSPACE, role: 'admin' },
    { ...OTHER, role: 'admin' },
  ],
  scopes: [...SCOPES],
  auth_type: 'session',
  expires_at: null,
};

export const OWNER_PERMISSIONS: Permissions = {
  object: 'permissions',
  user_id: OWNER_SELF.id,
  organisation: { id: ORGANISATION.id, role: 'owner', scopes: [...SCOPES], settings: [] },
  workspaces: [],
};

/**
 * Response of `GET /v1/auth/self` for a member of `search` only, who may read configs and not write
 * them.
 */
export const MEMBER_SELF: Self = {
  ...OWNER_SELF,
  organisation: { ...OWNER_SELF.organisation, role: 'member' },
  workspaces: [{ ...WORKSPACE, role: 'member' }],
};

export const MEMBER_PERMISSIONS: Permissions = {
  ...OWNER_PERMISSIONS,
  organisation: { id: ORGANISATION.id, role: 'member', scopes: [], settings: [] },
  workspaces: [
    {
      ...WORKSPACE,
      role: 'member',
      source: 'manual',
      scopes: ['configs.read', 'configs.list'],
      settings: [{ name: 'membersWriteConfigs', allows: false, scopes: ['configs.update'] }],
    },
  ],
};

export const BOOTSTRAP: Bootstrap = {
  object: 'console-bootstrap',
  version: '1.0.0',
  environment: null,
  password_login: true,
  sso: [],
  needs_password: false,
  gateway_url: 'http://127.0.0.1:8787',
  features: { audit_logs: true, mail: false },
  retention_days: { logs: 90, metrics: 365 },
  api_key_prefix: '',
  zone: 'UTC',
  currency: 'USD',
};
