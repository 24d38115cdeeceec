import { noPlace } from '../mcp/denials';
import { CallPlaces, type CallPlace, type TakenPlace } from './call-places';

const placeOf = (caller: string, workspace = 'w1', organisation = 'o1'): CallPlace => ({
  key: `${caller}/server`,
  workspaceId: workspace,
  organisationId: organisation,
});
/** Takes places of different callers of a workspace until none is free; returns the last result. */
function fill(places: CallPlaces, workspace: string): TakenPlace {
  for (let caller = 0; caller <= 2_000; caller += 1) {
    const place = places.take(placeOf(`${workspace}-${String(caller)}`, workspace));
    if (place.kind === 'none') return place;
  }
  throw new Error('A workspace took more places than the process has.');
}

describe('CallPlaces', () => {
  it('refuses the 51st call of a caller, and admits it after one of the others has ended', () => {
    const places = new CallPlaces();
    const taken = Array.from({ length: 50 }, () => places.take(placeOf('c')));
    expect(places.take(placeOf('c'))).toEqual({ kind: 'none', of: 'caller', most: 50 });
    const [first] = taken;
    if (first?.kind === 'taken') first.release();
    expect(places.take(placeOf('c')).kind).toBe('taken');
  });

  it('names the workspace and its share when the workspace has no place left', () => {
    expect(fill(new CallPlaces(), 'w1')).toEqual({ kind: 'none', of: 'workspace', most: 1_000 });
  });

  it('names the smaller share of a second workspace of the organisation', () => {
    const places = new CallPlaces();
    fill(places, 'w1');
    const { most } = fill(places, 'w2') as { most: number };
    expect(most).toBeLessThan(1_000);
  });
});

describe('noPlace', () => {
  it('reports the limit of the caller or of the workspace', () => {
    expect(noPlace({ of: 'caller', most: 50 })).toMatchObject({
      reason: { limit: { value: 50, unit: 'calls at the same time' } },
    });
    expect(noPlace({ of: 'workspace', most: 7 })).toMatchObject({
      reason: { limit: { value: 7, unit: 'calls of the workspace at the same time' } },
      message: expect.stringContaining('The workspace has 7 tool calls in flight') as string,
    });
  });
});
