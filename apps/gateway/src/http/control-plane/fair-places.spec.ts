import { FairPlaces, type Place } from './fair-places';

const PATIENT = { waitMs: 60_000 };
const BUSY = { type: 'unavailable', options: { headers: { 'retry-after': '2' } } };

describe('FairPlaces', () => {
  let pool: FairPlaces;
  afterEach(() => pool.close());

  /** Takes all places that the holder gets without waiting. */
  const takeAll = (holder: string): Place[] => {
    const places: Place[] = [];
    for (let place = pool.takeNow(holder); place !== null; place = pool.takeNow(holder)) places.push(place);
    return places;
  };

  it('leaves places for the next holder, however many one holder requests', () => {
    pool = new FairPlaces({ places: 64, waiting: 8, ...PATIENT });
    const counts = ['a', 'b', 'c', 'd', 'e'].map((holder) => takeAll(holder).length);
    expect(counts).toEqual([32, 16, 8, 4, 2]);
  });

  it('serves waiting holders in turn, whatever the length of their queues', async () => {
    pool = new FairPlaces({ places: 2, waiting: 64, ...PATIENT });
    const held = takeAll('a');
    const order: string[] = [];
    const waits = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) =>
      pool.take(name.charAt(0)).then((place) => {
        order.push(name);
        place.free();
      }),
    );
    for (const place of held) place.free();
    await Promise.all(waits);
    expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a3'));
    expect(order.indexOf('c1')).toBeLessThan(order.indexOf('a3'));
    expect(pool.held).toBe(0);
  });

  it('limits the waiting time and the number of waiting callers', async () => {
    pool = new FairPlaces({ places: 1, waiting: 2, waitMs: 10 });
    const [place] = takeAll('a');
    const first = expect(pool.take('a')).rejects.toMatchObject(BUSY);
    await expect(pool.take('a')).rejects.toMatchObject(BUSY);
    await first;
    place?.free();
    (await pool.take('a')).free();
  });

  it('counts a place once if it is freed twice', () => {
    pool = new FairPlaces({ places: 4, waiting: 0, ...PATIENT });
    const [first] = takeAll('a');
    first?.free();
    first?.free();
    expect(pool.held).toBe(1);
  });

  it('rejects waiting callers when the pool is closed', async () => {
    pool = new FairPlaces({ places: 1, waiting: 4, ...PATIENT });
    takeAll('a');
    const waits = expect(pool.take('a')).rejects.toMatchObject(BUSY);
    pool.close();
    await waits;
  });
});
