import { sampleLogRecord } from '@gw/testing';
import fc from 'fast-check';
import { requestLogRow, ZONE_BOUNDS_COLUMNS, type RequestLogRow } from '../rows/log-columns';
import { KnownLogZones } from './known-log-zones';
import { holdsTerms, termOf } from './log-terms';
import { zonesOf, type LogZone } from './log-zone';

const rowWith = (changes: Partial<RequestLogRow>): RequestLogRow => ({
  ...requestLogRow(sampleLogRecord()),
  ...changes,
});
const anyNumber = fc.oneof(
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 1e-30, -1e-30, 1e38, -1e38, 5e-324),
);

describe('zonesOf', () => {
  it('bounds what any log measures by numbers that `real` holds as they are', () => {
    fc.assert(
      fc.property(fc.array(anyNumber, { minLength: 1, maxLength: 5 }), (measured) => {
        for (const { lows, highs } of zonesOf(
          measured.map((cost) => rowWith({ cost, first_byte_ms: null })),
        )) {
          const [cost, firstByte] = [
            ZONE_BOUNDS_COLUMNS.indexOf('cost'),
            ZONE_BOUNDS_COLUMNS.indexOf('first_byte_ms'),
          ];
          const [low, high] = [lows[cost] as number, highs[cost] as number];
          expect([Math.fround(low), Math.fround(high)]).toEqual([low, high]);
          // Postgres has NaN above all other numbers.
          for (const each of measured.map((value) => (Number.isNaN(value) ? Infinity : value))) {
            expect(low).toBeLessThanOrEqual(each);
            expect(high).toBeGreaterThanOrEqual(each);
          }
          expect([lows[firstByte], highs[firstByte]]).toEqual([Infinity, -Infinity]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('tells of each value in every form that the database takes for the same', () => {
    const id = '33333333-3333-4333-8333-3333333333ab';
    const [zone] = zonesOf([
      rowWith({ api_key_id: id, model: 'half \ud83d and \0', status: 401, streamed: true }),
    ]);
    const holds = (...term: Parameters<typeof termOf>): boolean =>
      holdsTerms((zone as LogZone).terms, termOf(...term));
    expect(holds('api_key_id', id.toUpperCase())).toBe(true);
    expect(holds('api_key_id', `{${id.replaceAll('-', '')}}`)).toBe(true);
    expect(holds('model', 'half \ufffd and \ufffd')).toBe(true);
    expect([holds('status', '401'), holds('status', '4xx'), holds('streamed', 'true')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([holds('status', '402'), holds('status', '5xx'), holds('streamed', 'false')]).toEqual([
      false,
      false,
      false,
    ]);
    expect([holds('model', 'other'), holds('provider', 'half \ufffd and \ufffd')]).toEqual([false, false]);
  });

  it('has one of five minutes and one of the day, of the workspace and of the organisation, and none without an owner', () => {
    const rows = [
      rowWith({ created_at: '2026-01-02T03:04:59.999Z' }),
      rowWith({ created_at: '2026-01-02T03:00:00.000Z', workspace_id: null }),
      rowWith({ created_at: '2026-01-02T03:00:00.000Z', organisation_id: null, workspace_id: null }),
    ];
    const [{ organisation_id: organisation, workspace_id: workspace }] = rows as [RequestLogRow];
    const [minutes, day] = [Date.parse('2026-01-02T03:00:00Z'), Date.parse('2026-01-02T00:00:00Z')];
    expect(zonesOf(rows).map((zone) => [zone.ownerId, zone.minutes, zone.start])).toEqual([
      [workspace, 5, minutes],
      [workspace, 1440, day],
      [organisation, 5, minutes],
      [organisation, 1440, day],
    ]);
  });
});

describe('KnownLogZones', () => {
  /** Of today or tomorrow, whenever this is read. */
  const now = new Date(Date.now() + 60_000);
  const reported = (changes: Partial<RequestLogRow>): LogZone[] =>
    zonesOf([rowWith({ created_at: now.toISOString(), cost: 7, ...changes })]);

  it('names the zones that a log widens, and those alone', () => {
    const known = new KnownLogZones();
    expect(known.unknownOf(reported({}))).toHaveLength(4);
    known.add(reported({}));
    expect(known.unknownOf(reported({}))).toEqual([]);
    expect(known.unknownOf(reported({ cost: 8 }))).toHaveLength(4);
    expect(known.unknownOf(reported({ model: 'another' }))).toHaveLength(4);
    known.add(reported({ cost: 9 }));
    expect(known.unknownOf(reported({ cost: 8 }))).toEqual([]);
    expect(known.unknownOf(reported({ workspace_id: null, model: 'another' }))).toHaveLength(2);
  });

  it('asks less and less often for a zone that grows with each batch, and always holds what was requested', () => {
    const known = new KnownLogZones();
    let requested = 0;
    for (let batch = 1; batch <= 1_000; batch += 1) {
      const zones = reported({ cost: 1_000 + batch, first_byte_ms: 1 / batch, overhead_ms: -batch });
      const wider = known.unknownOf(zones);
      known.add(wider);
      requested += wider.length / 4;
      expect(
        known.unknownOf(reported({ cost: 1_000 + batch, first_byte_ms: 1 / batch, overhead_ms: -batch })),
      ).toEqual([]);
    }
    expect(requested).toBeLessThan(100);
  });

  it('widens a zone to no more than its logs have, as long as that is seldom', () => {
    const known = new KnownLogZones();
    for (const cost of [7, 8, 9, 10]) {
      const wider = known.unknownOf(reported({ cost }));
      known.add(wider);
      expect(wider.map(({ highs }) => highs[ZONE_BOUNDS_COLUMNS.indexOf('cost')])).toEqual([
        cost,
        cost,
        cost,
        cost,
      ]);
    }
  });

  it('does not rely on what it knew of another day, whose zones may be gone', () => {
    const known = new KnownLogZones();
    const yesterday = reported({ created_at: new Date(now.getTime() - 86_460_000).toISOString() });
    known.add(yesterday);
    expect(known.unknownOf(yesterday)).toEqual(yesterday);
  });
});
