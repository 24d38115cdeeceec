import { degraded, down, HealthBoard, partOf, WELL, type PartState } from './health-board';

describe('HealthBoard', () => {
  it('reports unhealthy parts with their reasons, and only their states in the public view', async () => {
    const board = new HealthBoard([
      { name: 'well', check: () => WELL },
      { name: 'weak', check: () => ({ ...degraded('It is slow.'), figures: { waiting: 3 } }) },
      partOf('gone', () => false),
      { name: 'broken', check: () => Promise.reject(new Error('password=hunter2')) },
    ]);
    expect(await board.words()).toEqual({
      status: 'degraded',
      degraded: ['weak', 'gone', 'broken'],
      parts: { well: 'ok', weak: 'degraded', gone: 'down', broken: 'down' },
    });
    const report = await board.report();
    expect(report).toMatchObject([
      { name: 'well', reason: null },
      { name: 'weak', reason: 'It is slow.', figures: { waiting: 3 } },
      { name: 'gone', reason: 'It does not respond.' },
      { name: 'broken', reason: 'It does not respond.' },
    ]);
    expect(JSON.stringify(report)).not.toContain('hunter2');
  });

  it('keeps the time of a state until it changes, and uses the part’s own time if there is one', async () => {
    let state: PartState = WELL;
    const board = new HealthBoard([{ name: 'part', check: () => state }]);
    const [first] = await board.report();
    const [again] = await board.report();
    expect(again?.since).toBe(first?.since);
    const since = new Date('2026-01-01T00:00:00.000Z');
    state = { ...down('It left.'), since };
    expect((await board.report())[0]?.since).toBe(since.toISOString());
    state = WELL;
    const [mended] = await board.report();
    expect(Date.parse(mended?.since ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.since ?? ''));
  });

  it('checks an unresponsive part once, even if its state is requested repeatedly', async () => {
    let requested = 0;
    let respond: (state: PartState) => void = () => undefined;
    const check = (): Promise<PartState> => {
      requested += 1;
      return new Promise((resolve) => (respond = resolve));
    };
    const board = new HealthBoard([{ name: 'part', check }], 1);
    const reports = await Promise.all([board.words(), board.words(), board.words()]);
    expect(new Set(reports.map(({ parts }) => parts['part']))).toEqual(new Set(['down']));
    expect(requested).toBe(1);
    const mended = board.words();
    respond(WELL);
    expect((await mended).parts).toEqual({ part: 'ok' });
  });
});
