import { PROVIDERS, type Provider } from '@gw/providers';
import type { RequestContext } from '../core/request-context';
import { Lingering, type Linger } from './lingering';
import { SessionMeter } from './metering/session-meter';

const OPEN = { readyState: 1, OPEN: 1 } as const;
const CLOSED = { readyState: 3, OPEN: 1 } as const;
const of = (workspace: string): Pick<RequestContext, 'principal'> => ({
  principal: { workspace: { id: workspace, organisationId: workspace } } as RequestContext['principal'],
});
const created = Buffer.from('{"type":"response.created","response":{"id":"r"}}');
const busy = (): SessionMeter => {
  const meter = new SessionMeter(PROVIDERS.get('openai') as Provider);
  meter.fromProvider(created, false);
  return meter;
};

describe('places for sessions without clients', () => {
  const begun: Linger[] = [];
  afterEach(() => {
    for (const linger of begun.splice(0)) linger.finish();
  });
  const begin = (lingering: Lingering, workspace: string, meter = busy()): boolean => {
    const linger = lingering.begin(of(workspace), OPEN, meter, () => undefined);
    if (linger !== null) begun.push(linger);
    return linger !== null;
  };

  it('are shared, so that one workspace cannot take them from another, and are returned', () => {
    const lingering = new Lingering(60_000);
    let taken = 0;
    while (begin(lingering, 'one')) taken += 1;
    expect([taken, lingering.count]).toEqual([256, 256]);
    expect(begin(lingering, 'other')).toBe(true);
    for (const linger of begun) linger.finish();
    expect(lingering.count).toBe(0);
  });

  it('are not taken if no response is open, the provider has disconnected, or waiting is turned off', () => {
    const idle = new SessionMeter(PROVIDERS.get('openai') as Provider);
    expect(begin(new Lingering(60_000), 'one', idle)).toBe(false);
    expect(begin(new Lingering(0), 'one')).toBe(false);
    expect(new Lingering(60_000).begin(of('one'), CLOSED, busy(), () => undefined)).toBeNull();
  });
});
