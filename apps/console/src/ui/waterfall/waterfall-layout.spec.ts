import type { AttemptEnd, AttemptRecord, GuardrailRecord, RoutingEvent } from '@gw/contracts';
import fc from 'fast-check';
import { uncoveredMs } from './spec-support/drawing-faults';
import type { Lane, WaterfallRecord } from './waterfall-lanes';
import { TONES, waterfallLayout } from './waterfall-layout';

const attempt = (part: Partial<AttemptRecord>): AttemptRecord => ({
  ...{
    target: 'config.targets[0]',
    provider: 'openai',
    credential: 'openai-prod',
    model: 'gpt-4o',
    retry: 0,
  },
  ...{ status: 200, end: 'answered', reason: null, startedMs: 0, durationMs: 0, ...part },
});
const guardrail = (part: Partial<GuardrailRecord>): GuardrailRecord => ({
  ...{
    stage: 'output',
    id: 'guard-output',
    versionId: null,
    verdict: true,
    deny: true,
    async: false,
    monitor: false,
  },
  ...{ transformed: false, durationMs: 0.9, checks: [], feedback: null, ...part },
});
const record = (part: Partial<WaterfallRecord>): WaterfallRecord => ({
  ...{ durationMs: 0, firstByteMs: null, streamed: false, outputTokens: null, decision: {}, ...part },
});
const shown = (lanes: readonly Lane[]): readonly string[] =>
  lanes.map(({ kind, from, to }) => `${kind} ${Math.round(from)}–${Math.round(to)}`);

/** A fallback after two 503 responses. */
const FALLBACK = record({
  durationMs: 3260,
  firstByteMs: 1451,
  streamed: true,
  outputTokens: 110,
  decision: {
    attempts: [
      attempt({ status: 503, end: 'status', startedMs: 1, durationMs: 212 }),
      attempt({ status: 503, end: 'status', retry: 1, startedMs: 853, durationMs: 180 }),
      attempt({ target: 'config.targets[1]', startedMs: 1033.5, durationMs: 400 }),
    ],
    routing: [{ target: 'config.targets[0]', event: 'breaker_opened' }],
    guardrails: [guardrail({})],
    stages: { accept: 0.1, authenticate: 0.1, receive: 0.2, attempt: 1400, reply: 1800, settle: 2 },
  },
});

describe('waterfallLayout', () => {
  it('lays out a fallback with gateway, calls, wait, guardrail and settlement', () => {
    const { lanes, totalMs } = waterfallLayout(FALLBACK);
    expect(totalMs).toBe(3260);
    expect(shown(lanes)).toEqual([
      'before 0–1',
      'attempt 1–213',
      'waited 213–853',
      'attempt 853–1033',
      'attempt 1034–3258',
      'guardrail 1451–3258',
      'settle 3258–3260',
    ]);
    expect(lanes[3]).toMatchObject({ tone: 'failed', events: [{ event: 'breaker_opened' }] });
    expect(lanes[4]).toMatchObject({ isAnswer: true, firstByteMs: 1451, leadMs: 0.5, tone: 'answered' });
    expect(Math.round((lanes[4] as { tokensPerSecond: number }).tokensPerSecond)).toBe(61);
    expect(lanes[0]).toMatchObject({
      stages: [
        ['accept', 0.1],
        ['authenticate', 0.1],
        ['receive', 0.2],
      ],
    });
  });

  it('marks the winner of a hedged pair, whose calls overlap', () => {
    const { lanes } = waterfallLayout(
      record({
        durationMs: 900,
        decision: {
          attempts: [
            attempt({ hedge: 'first', end: 'cancelled', status: null, startedMs: 2, durationMs: 700 }),
            attempt({ hedge: 'second', startedMs: 400, durationMs: 302 }),
          ],
          routing: [{ target: 'config.targets[0]', event: 'hedged' }],
        },
      }),
    );
    expect(shown(lanes)).toEqual(['before 0–2', 'attempt 2–702', 'attempt 400–900']);
    expect(lanes[1]).toMatchObject({ isWinner: false, tone: 'quiet' });
    expect(lanes[2]).toMatchObject({ isWinner: true, isAnswer: true, events: [{ event: 'hedged' }] });
  });

  it('shows a response without a call as gateway time', () => {
    const { lanes } = waterfallLayout(record({ durationMs: 12, decision: { stages: { admit: 1 } } }));
    expect(shown(lanes)).toEqual(['before 0–12']);
  });

  it('does not show work between two targets as a wait', () => {
    const attempts = [
      attempt({ end: 'timeout', status: null, startedMs: 1, durationMs: 100 }),
      attempt({
        target: 'config.targets[1]',
        end: 'unreachable',
        status: null,
        startedMs: 150,
        durationMs: 10,
      }),
    ];
    const { lanes } = waterfallLayout(record({ durationMs: 170, decision: { attempts } }));
    expect(shown(lanes)).toEqual([
      'before 0–1',
      'attempt 1–101',
      'between 101–150',
      'attempt 150–160',
      'after 160–170',
    ]);
  });

  it('extends a continued call until the next one', () => {
    const attempts = [
      attempt({ startedMs: 1, durationMs: 100 }),
      attempt({ target: 'config.targets[1]', startedMs: 700, durationMs: 100 }),
    ];
    const routing: RoutingEvent[] = [{ target: 'config.targets[1]', event: 'stream_continued' }];
    const { lanes } = waterfallLayout(record({ durationMs: 1000, decision: { attempts, routing } }));
    expect(shown(lanes)).toEqual(['before 0–1', 'attempt 1–700', 'attempt 700–1000']);
  });

  it('returns events of targets without a call as unplaced', () => {
    const routing: RoutingEvent[] = [{ target: 'config.targets[7]', event: 'breaker_open' }];
    expect(waterfallLayout(record({ durationMs: 5, decision: { routing } })).unplaced).toEqual(routing);
  });
});

const ms = fc.oneof(fc.double({ min: 0, max: 5000, noNaN: true }), fc.constantFrom(0, -1, Number.NaN, 1e9));
const ends = Object.keys(TONES) as AttemptEnd[];
const records: fc.Arbitrary<WaterfallRecord> = fc.record({
  durationMs: ms,
  firstByteMs: fc.option(ms),
  streamed: fc.boolean(),
  outputTokens: fc.option(fc.nat()),
  decision: fc.record(
    {
      attempts: fc.array(
        fc
          .record({
            target: fc.constantFrom('config', 'config.targets[0]', 'config.targets[1]'),
            end: fc.constantFrom(...ends),
            retry: fc.nat(3),
            startedMs: ms,
            durationMs: ms,
            hedge: fc.constantFrom('first' as const, 'second' as const, undefined),
          })
          .map(({ hedge, ...part }) => attempt({ ...part, ...(hedge === undefined ? {} : { hedge }) })),
        { maxLength: 8 },
      ),
      guardrails: fc.array(
        fc
          .record({
            stage: fc.constantFrom('input' as const, 'output' as const),
            verdict: fc.boolean(),
            durationMs: ms,
          })
          .map(guardrail),
        { maxLength: 3 },
      ),
      stages: fc.dictionary(fc.constantFrom('accept', 'attempt', 'reply', 'settle'), ms),
    },
    { requiredKeys: [] },
  ),
});

describe('lanes of any record', () => {
  it('stay within the request, have no negative length, and cover it to within 1 ms', () => {
    fc.assert(
      fc.property(records, (any) => {
        const { lanes, totalMs } = waterfallLayout(any);
        for (const lane of lanes) {
          expect(lane.from).toBeGreaterThanOrEqual(0);
          expect(lane.to).toBeGreaterThanOrEqual(lane.from);
          expect(lane.to).toBeLessThanOrEqual(totalMs);
          if (lane.kind === 'attempt') expect(lane.leadMs).toBeLessThanOrEqual(1);
        }
        expect(uncoveredMs(lanes, totalMs)).toBeLessThan(1);
        expect(new Set(lanes.map(({ key }) => key)).size).toBe(lanes.length);
      }),
      { numRuns: 500 },
    );
  });
});
