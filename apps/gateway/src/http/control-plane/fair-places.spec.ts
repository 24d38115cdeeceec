import { FairPlaces, type Place } from './fair-places';

const PATIENT = { waitMs: 60_000 };
const BUSY = { type: 'unavailable', options: { headers: { 'retry-after': '2' } } };

describe('places that many holders share', () => {
  let pool: FairPlaces;
  afterEach(() => pool.close());

  /** All that the holder gets at once. */
  const takeAll = (holder: string): Place[] => {
    const places: Place[] = [];
    for (let place = pool.takeNow(holder); place !== null; place = pool.takeNow(holder)) places.push(place);
    return places;
  };

  it('leave something for the next holder, however many one asks for', () => {
    pool = new FairPlaces({ places: 64, waiting: 8, ...PATIENT });
    const counts = ['a', 'b', 'c', 'd', 'e'].map((holder) => takeAll(holder).length);
    expect(counts).toEqual([32, 16, 8, 4, 2]);
  });

  it('go to the holders in turn, whatever the length of their queues', async () => {
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

  it('are waited for a bounded time, by a bounded number', async () => {
    pool = new FairPlaces({ places: 1, waiting: 2, waitMs: 10 });
    const [place] = takeAll('a');
    const first = expect(pool.take('a')).rejects.toMatchObject(BUSY);
    await expect(pool.take('a')).rejects.toMatchObject(BUSY);
    await first;
    place?.free();
    (await pool.take('a')).free();
  });

  it('count once when they are given back twice', () => {
    pool = new FairPlaces({ places: 4, waiting: 0, ...PATIENT });
    const [first] = takeAll('a');
    first?.free();
    first?.free();
    expect(pool.held).toBe(1);
  });

  it('refuse those that wait when the pool is closed', async () => {
    pool = new FairPlaces({ places: 1, waiting: 4, ...PATIENT });
    takeAll('a');
    const waits = expect(pool.take('a')).rejects.toMatchObject(BUSY);
    pool.close();
    await waits;
  });
});
