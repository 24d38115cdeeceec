import { encodeFrame, decodeFrames, type Frame } from '@gw/journal';
import { UUID } from '@gw/kernel';
import type { ChargeRecord } from '@gw/contracts';
import { sampleLogRecord } from '@gw/testing';
import { readBare, type ReadRecord } from './log-entry';

const CHARGES: readonly ChargeRecord[] = [
  {
    line: 'primary',
    provider: 'openai',
    ...{ cost: 45_000, tokens: 9, requests: 1, flags: [] },
    counters: [['api_key:k1:cost:budget', 0, 'g.1']],
  },
];

const frameOf = (decision: unknown): Frame =>
  decodeFrames(encodeFrame(JSON.stringify({ ...sampleLogRecord(), decision }), null, null) as Buffer)
    .frames[0] as Frame;

describe('bareRecord', () => {
  it.each([
    [{ charges: CHARGES, other: 1 }, CHARGES],
    [{ charges: 'none' }, undefined],
    [null, undefined],
  ])('keeps the valid charges of the decision %j', (decision, expected) => {
    const { entry } = readBare(frameOf(decision), () => true) as ReadRecord;
    expect(entry.row.decision).toEqual(expected === undefined ? {} : { charges: expected });
  });

  it('keeps valid charges and drops unknown members of them', () => {
    const [charge] = CHARGES as [ChargeRecord];
    const charges = [
      { ...charge, more: { deep: [] }, flags: ['estimated', 'other'], once: 1 },
      { ...charge, provider: 'x'.repeat(1_000) },
      { ...charge, cost: 0.5 },
      { ...charge, counters: [['key', 0, 'h'.repeat(129)]] },
    ];
    const { entry } = readBare(frameOf({ charges }), () => true) as ReadRecord;
    expect(entry.row.decision).toEqual({ charges: [{ ...charge, flags: ['estimated'] }] });
  });

  it('returns the same id and time on every delivery if those of the record are invalid', () => {
    const frame = (id: unknown): Frame =>
      decodeFrames(
        encodeFrame(JSON.stringify({ ...sampleLogRecord(), createdAt: 'then', id }), null, null) as Buffer,
      ).frames[0] as Frame;
    const ids = [frame('r1'), frame('r2'), frame(5)].flatMap((each) =>
      [1, 2].map(() => readBare(each, () => true) as ReadRecord),
    );
    for (const { isSkewed } of ids) expect(isSkewed).toBe(true);
    const [one, again, other, otherAgain, ...more] = ids.map(({ entry }) => entry.row.id);
    expect(one).toMatch(UUID);
    expect([again, otherAgain]).toEqual([one, other]);
    expect(new Set([one, other, ...more]).size).toBe(3);
  });
});
