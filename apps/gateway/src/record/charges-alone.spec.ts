import { decodeFrames } from '@gw/journal';
import { eventually, sampleLogRecord } from '@gw/testing';
import type { ChargeRecord, LogRecord } from '@gw/contracts';
import { ChargesAlone } from './charges-alone';

const charge: ChargeRecord = {
  line: 'primary',
  provider: 'openai',
  cost: 5,
  tokens: 3,
  requests: 1,
  flags: [],
  counters: [['api_key:k:cost:budget', 0, 'g.1']],
};
const charged = (over: Partial<LogRecord> = {}): LogRecord => {
  const record = sampleLogRecord(over);
  return { ...record, decision: { ...record.decision, charges: [charge] } };
};
const bytesOf = (record: LogRecord): Buffer => Buffer.from(JSON.stringify(record));

describe('ChargesAlone', () => {
  let arrived: LogRecord[];
  let sinkFails: boolean;
  const errors: unknown[] = [];
  const alone = (bytesMax?: number): ChargesAlone =>
    new ChargesAlone(
      {
        send: (batch) => {
          if (sinkFails) return Promise.reject(new Error('away'));
          const { frames } = decodeFrames(batch);
          arrived.push(...frames.map(({ meta }) => JSON.parse(meta.toString()) as LogRecord));
          return Promise.resolve();
        },
      },
      (error) => errors.push(error),
      bytesMax,
    );

  beforeEach(() => {
    arrived = [];
    sinkFails = false;
    errors.length = 0;
  });

  it('sends id, owner, cost and charges of a dropped record, and none of its texts', async () => {
    const record = charged({ metadata: { secret: 'x'.repeat(1_000) } });
    const sender = alone();
    sender.keep(bytesOf(record));
    await sender.send();
    const { id, organisationId, apiKeyId, createdAt, cost } = record;
    expect(arrived).toMatchObject([
      { id, organisationId, apiKeyId, createdAt, cost, decision: { charges: [charge] } },
    ]);
    expect(JSON.stringify(arrived)).not.toContain('xxx');
    expect(sender.stats()).toEqual({ sent: 1, waiting: 0, lost: 0 });
  });

  it('sends batches that the sink refused again, under the same ids', async () => {
    const sender = alone();
    const records = Array.from({ length: 1_200 }, () => charged());
    sinkFails = true;
    for (const record of records) sender.keep(bytesOf(record));
    await sender.send();
    expect(errors).toHaveLength(1);
    expect(sender.stats()).toMatchObject({ sent: 0, waiting: records.length });
    sinkFails = false;
    await sender.send();
    expect(arrived.map(({ id }) => id)).toEqual(records.map(({ id }) => id));
  });

  it('sends again until the time to stop is over if the sink refuses', async () => {
    const sender = alone();
    sender.keep(bytesOf(charged()));
    sinkFails = true;
    const stopped = sender.stop(10_000);
    await eventually(() => errors.length > 0);
    sinkFails = false;
    await stopped;
    expect(sender.stats()).toEqual({ sent: 1, waiting: 0, lost: 0 });
    sinkFails = true;
    sender.keep(bytesOf(charged()));
    await sender.stop(10);
    expect(sender.stats()).toMatchObject({ waiting: 1 });
  });

  it('keeps no record without a charge, and counts records that exceed its memory', () => {
    const sender = alone(2_000);
    sender.keep(bytesOf(sampleLogRecord({ cost: null })));
    expect(sender.stats()).toEqual({ sent: 0, waiting: 0, lost: 0 });
    for (let at = 0; at < 10; at += 1) sender.keep(bytesOf(charged()));
    const { waiting, lost } = sender.stats();
    expect(waiting).toBeGreaterThan(0);
    expect(waiting + lost).toBe(10);
  });
});
