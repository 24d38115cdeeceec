import { concurrencyBucket, Ledger, type CounterStore, type CounterRoundTripReply } from '@gw/limits';
import { RequestContext } from '../core/request-context';
import { Accounts } from './accounts';
import { ToolAccounts } from './tool-accounts';

const PLACES = concurrencyBucket({ tenant: 'org', scope: 'api_key', id: 'k' }, 5);

describe('admission that waits for the counters while its request ends', () => {
  let respond: () => void;
  let ledger: Ledger;
  let context: RequestContext;

  beforeEach(() => {
    const counters = {
      exchange: ({ statements, claims }) =>
        new Promise<CounterRoundTripReply>((resolve) => {
          const counter = { status: 'ok', period: 0, used: 0, held: 1, extra: 0, consumed: 0, holders: 1 };
          respond = () => {
            resolve({
              nowMs: Date.now(),
              counters: statements.map(() => ({ ...counter, crowded: false }) as const),
              claims: claims.map(() => -1),
            } as CounterRoundTripReply);
          };
        }),
    } as Pick<CounterStore, 'exchange'> as CounterStore;
    ledger = new Ledger({ counters, record: null });
    context = {
      principal: {
        key: { id: 'k', defaults: { metadata: {} } },
        workspace: { id: 'w', organisationId: 'org' },
        limits: { buckets: [PLACES], perRequest: [], perAttempt: [] },
      },
      metadata: {},
      limits: null,
      settled: false,
    } as unknown as RequestContext;
  });

  it('releases the reservation of a request that was settled meanwhile', async () => {
    const estimates = { ofRequest: () => ({ cost: 0, tokens: 0 }) };
    const accounts = new Accounts(ledger, estimates as never, null as never, null as never);
    const admission = accounts.admit(context);
    context.settled = true;
    respond();
    await admission;
    expect(ledger.health().openReservations).toBe(0);
    expect(context.limits).toBeNull();
  });

  it('keeps the reservation of a request that goes on', async () => {
    const estimates = { ofRequest: () => ({ cost: 0, tokens: 0 }) };
    const accounts = new Accounts(ledger, estimates as never, null as never, null as never);
    const admission = accounts.admit(context);
    respond();
    await admission;
    expect(ledger.health().openReservations).toBe(1);
    expect(context.limits?.reservation).not.toBeNull();
  });

  it('releases the reservation of a tool call whose request was settled meanwhile', async () => {
    const cost = { ...PLACES, key: 'money', measure: 'cost' } as const;
    Object.assign(context.principal as object, {
      limits: { buckets: [cost], perRequest: [], perAttempt: [] },
    });
    const admission = new ToolAccounts(ledger).admit(context, { server: 's', tool: 't', price: 3 });
    context.settled = true;
    respond();
    await admission;
    expect(ledger.health().openReservations).toBe(0);
  });
});
