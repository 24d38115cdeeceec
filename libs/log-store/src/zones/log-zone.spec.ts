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
  it('bounds any measured values by numbers that the type `real` holds exactly', () => {
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

  it('holds each value in every form that Postgres treats as equal', () => {
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

  it('returns zones of five minutes and of a day for workspace and organisation, and none without an owner', () => {
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
  /** A time of today or tomorrow, at whatever time the test runs. */
  const now = new Date(Date.now() + 60_000);
  const zonesWith = (changes: Partial<RequestLogRow>): LogZone[] =>
    zonesOf([rowWith({ created_at: now.toISOString(), cost: 7, ...changes })]);

  it('returns only the zones that a log widens', () => {
    const known = new KnownLogZones();
    expect(known.unknownOf(zonesWith({}))).toHaveLength(4);
    known.add(zonesWith({}));
    expect(known.unknownOf(zonesWith({}))).toEqual([]);
    expect(known.unknownOf(zonesWith({ cost: 8 }))).toHaveLength(4);
    expect(known.unknownOf(zonesWith({ model: 'another' }))).toHaveLength(4);
    known.add(zonesWith({ cost: 9 }));
    expect(known.unknownOf(zonesWith({ cost: 8 }))).toEqual([]);
    expect(known.unknownOf(zonesWith({ workspace_id: null, model: 'another' }))).toHaveLength(2);
  });

  it('returns a steadily growing zone in fewer than 100 of 1,000 batches, and always covers its logs', () => {
    const known = new KnownLogZones();
    let widenings = 0;
    for (let batch = 1; batch <= 1_000; batch += 1) {
      const zones = zonesWith({ cost: 1_000 + batch, first_byte_ms: 1 / batch, overhead_ms: -batch });
      const wider = known.unknownOf(zones);
      known.add(wider);
      widenings += wider.length / 4;
      expect(
        known.unknownOf(zonesWith({ cost: 1_000 + batch, first_byte_ms: 1 / batch, overhead_ms: -batch })),
      ).toEqual([]);
    }
    expect(widenings).toBeLessThan(100);
  });

  it('widens a zone to the exact values of its logs the first few times', () => {
    const known = new KnownLogZones();
    for (const cost of [7, 8, 9, 10]) {
      const wider = known.unknownOf(zonesWith({ cost }));
      known.add(wider);
      expect(wider.map(({ highs }) => highs[ZONE_BOUNDS_COLUMNS.indexOf('cost')])).toEqual([
        cost,
        cost,
        cost,
        cost,
      ]);
    }
  });

  it('does not cache the zones of another day, which may be deleted', () => {
    const known = new KnownLogZones();
    const yesterday = zonesWith({ created_at: new Date(now.getTime() - 86_460_000).toISOString() });
    known.add(yesterday);
    expect(known.unknownOf(yesterday)).toEqual(yesterday);
  });
});
