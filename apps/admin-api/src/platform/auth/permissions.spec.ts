import { DEFAULT_SECURITY } from '@gw/auth-scopes';
import { explainMemberships } from './permissions.service';

describe('explainMemberships', () => {
  it('lets other work run while it explains many memberships', async () => {
    const memberships = Array.from({ length: 100 }, (_, at) => ({
      ...{ id: String(at), slug: `ws-${String(at)}`, role: 'manager', source: 'manual', security: null },
    })) as Parameters<typeof explainMemberships>[1];
    let turns = 0;
    setImmediate(() => (turns += 1));
    const explained = await explainMemberships('member', memberships, () => DEFAULT_SECURITY);
    expect([explained.length, turns]).toEqual([100, 1]);
    expect(explained[0]).toMatchObject({ slug: 'ws-0', role: 'manager', source: 'manual' });
  });
});
