import { refusedAttempt } from './refused-attempt';

describe('refusedAttempt', () => {
  it.each([
    ['POST', '/v1/workspaces', 'create', 'workspaces'],
    ['POST', '/v1/api-keys/workspace/service', 'create', 'api_keys'],
    ['POST', '/v1/api-keys/0190/rotate?dry_run=true', 'rotate', 'api_keys'],
    ['PUT', '/v1/api-keys/rotate', 'update', 'api_keys'],
    ['POST', '/v2/admin/users/invites', 'create', 'invites'],
    ['POST', '/v1/admin/users/invites/0190/resend', 'resend', 'invites'],
    ['DELETE', '/v1/admin/users/0190', 'delete', 'users'],
    ['POST', '/v1/admin/organisation/domains/0190/verify', 'verify', 'domains'],
    ['PUT', '/v1/admin/organisation/settings', 'update', 'organisation'],
    ['POST', '/v1/admin/workspaces/0190/users', 'create', 'members'],
    ['POST', '/v1/logs/exports/0190/cancel', 'cancel', 'log_exports'],
    ['POST', '/v1/test', 'create', 'test'],
    ['PATCH', '/else', 'manage', 'unknown'],
  ])('names %s %s as %s of %s', (method, url, action, resourceType) => {
    expect(refusedAttempt(method, url)).toEqual({ action, resourceType, resourceId: null });
  });
});
