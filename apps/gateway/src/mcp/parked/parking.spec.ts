import { keyringOf, MINUTE_MS } from '@gw/kernel';
import { LocalBus } from '../replicas/replica-bus';
import { ReplicaLink } from '../replicas/replica-link';
import { UpstreamCall } from '../upstream-call';
import { Parking } from './parking';

describe('Parking', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('has room for calls of a workspace, whatever another one parks, and again after their time', () => {
    const link = new ReplicaLink(new LocalBus(), keyringOf('spec', Buffer.alloc(32, 1)));
    const parking = new Parking(link);
    const park = (workspaceId: string, principal: string) =>
      parking.park(principal, new UpstreamCall({ workspaceId, organisationId: workspaceId }, null, 0));
    const greedy = (): number =>
      Array.from({ length: 150 }, (_, at) => park('greedy', `caller-${String(at)}`)).filter(
        (place) => place !== null,
      ).length;
    expect(greedy()).toBe(50);
    const [place] = [park('other', 'mine'), park('other', 'mine')];
    expect(place).not.toBeNull();
    expect(parking.take(place?.call ?? '', 'mine')).toMatchObject({ kind: 'found' });
    jest.advanceTimersByTime(10 * MINUTE_MS);
    expect(greedy()).toBe(50);
    parking.close();
    link.close();
  });
});
