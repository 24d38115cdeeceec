import type { ChargeRecord } from '@gw/contracts';
import { encodeFrame, decodeFrames, type Frame } from '@gw/telemetry';
import { sampleLogRecord } from '@gw/testing';
import { bareFrame, readFrame } from './log-entry';
import { bareEntry } from './log-quarantine';

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

describe('a record that is stored without what can not be stored of it', () => {
  it.each([
    [{ charges: CHARGES, other: 1 }, CHARGES],
    [{ charges: 'none' }, undefined],
    [null, undefined],
  ])('keeps of the decision %j the charges, which budgets go by', (decision, expected) => {
    const read = readFrame(bareFrame(frameOf(decision)), () => true);
    if (read.kind !== 'entry') throw new Error('the record was refused');
    expect(read.entry.row.decision.charges).toEqual(expected);
    const { row } = read.entry;
    const bare = bareEntry({ ...read.entry, row: { ...row, decision: decision as never } });
    expect(bare.row.decision.charges).toEqual(expected);
  });
});
